-- Tokens with which browsers read the events of one job. They are gone minutes later.
CREATE TABLE stream_tokens (
	hash       TEXT   NOT NULL CONSTRAINT stream_tokens_pkey PRIMARY KEY CONSTRAINT stream_tokens_hash_check CHECK (length(hash) = 64),
	key_id     TEXT   NOT NULL CONSTRAINT stream_tokens_key_id_fkey REFERENCES keys (id),
	job_id     TEXT   NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX stream_tokens_by_key ON stream_tokens (key_id);
CREATE INDEX stream_tokens_by_end ON stream_tokens (expires_at);

-- Ids of jobs sort by time: their lists read no more than a page.
CREATE INDEX jobs_listed ON jobs (project_id, id);

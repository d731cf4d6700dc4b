-- Which job's game players get, and the public keys of games. A job is kept while its
-- game is published.
CREATE TABLE publications (
	project_id   TEXT   NOT NULL CONSTRAINT publications_pkey PRIMARY KEY
		CONSTRAINT publications_project_id_fkey REFERENCES projects (id),
	job_id       TEXT   NOT NULL CONSTRAINT publications_job_id_fkey REFERENCES jobs (id),
	published_at BIGINT NOT NULL
);
CREATE INDEX publications_by_job ON publications (job_id);

CREATE TABLE play_keys (
	id         TEXT   NOT NULL CONSTRAINT play_keys_pkey PRIMARY KEY CONSTRAINT play_keys_id_check CHECK (length(id) = 31),
	project_id TEXT   NOT NULL CONSTRAINT play_keys_project_id_fkey REFERENCES projects (id),
	created_at BIGINT NOT NULL,
	ends_at    BIGINT -- null for one that goes on
);
CREATE INDEX play_keys_by_project ON play_keys (project_id, created_at);

-- Where the ends of a project's jobs are posted to. The secrets sign each post, so they are
-- kept as they are; the former one signs besides until its end.
CREATE TABLE webhooks (
	project_id   TEXT   NOT NULL CONSTRAINT webhooks_pkey PRIMARY KEY CONSTRAINT webhooks_project_id_fkey REFERENCES projects (id),
	url          TEXT   NOT NULL CONSTRAINT webhooks_url_check CHECK (length(url) BETWEEN 1 AND 2048),
	events       TEXT   NOT NULL, -- each between two spaces
	secret       TEXT   NOT NULL CONSTRAINT webhooks_secret_check CHECK (length(secret) = 50),
	former       TEXT   NOT NULL DEFAULT '',
	former_until BIGINT NOT NULL DEFAULT 0,
	created_at   BIGINT NOT NULL
);

-- What is to be posted, written with the job's end, and what became of it. Its job may be
-- gone before it is. A waiting one is due again some time after its sender took it.
CREATE TABLE webhook_deliveries (
	id         TEXT   NOT NULL CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
	project_id TEXT   NOT NULL CONSTRAINT webhook_deliveries_project_id_fkey REFERENCES projects (id),
	job_id     TEXT   NOT NULL,
	event      TEXT   NOT NULL,
	body       TEXT   NOT NULL,
	state      TEXT   NOT NULL CONSTRAINT webhook_deliveries_state_check CHECK (state IN ('waiting', 'delivered', 'dead')),
	attempts   BIGINT NOT NULL DEFAULT 0 CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
	status     BIGINT NOT NULL DEFAULT 0, -- of the last answer, 0 for none
	problem    TEXT   NOT NULL DEFAULT '',
	created_at BIGINT NOT NULL,
	due_at     BIGINT NOT NULL,
	ended_at   BIGINT,
	CONSTRAINT webhook_deliveries_ended_check CHECK ((ended_at IS NULL) = (state = 'waiting'))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (project_id, due_at, id) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (project_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

-- The project that a request to make one made, by its Idempotency-Key.
CREATE TABLE project_requests (
	key_id      TEXT   NOT NULL CONSTRAINT project_requests_key_id_fkey REFERENCES keys (id),
	name        TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	project_id  TEXT   NOT NULL CONSTRAINT project_requests_project_id_key UNIQUE
		CONSTRAINT project_requests_project_id_fkey REFERENCES projects (id),
	CONSTRAINT project_requests_pkey PRIMARY KEY (key_id, name)
);

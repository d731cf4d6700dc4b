-- What a submission writes, with less work. SQLite builds the list of an IN of
-- three values or more anew for each statement that checks it, which was half of
-- what a job's insertion and its commit took; the conditions are what they were.
-- The table is made anew, as no statement that both databases know changes a
-- constraint, and with it the one that refers to it.

DROP INDEX jobs_by_project;
DROP INDEX jobs_unfinished;
ALTER TABLE idempotency RENAME TO idempotency_before;
ALTER TABLE jobs RENAME TO jobs_before;

CREATE TABLE jobs (
	id          TEXT   PRIMARY KEY,
	key_id      TEXT   NOT NULL REFERENCES keys (id),
	project_id  TEXT   NOT NULL REFERENCES projects (id),
	state       TEXT   NOT NULL CHECK (state = 'reserved' OR state = 'active' OR state = 'settled' OR state = 'released'),
	status      TEXT   NOT NULL CHECK (status = 'queued' OR status = 'running'
		OR status = 'completed' OR status = 'failed' OR status = 'cancelled'),
	record      TEXT   NOT NULL,
	next_step   TEXT   NOT NULL DEFAULT '',
	tik_spent   BIGINT NOT NULL DEFAULT 0 CHECK (tik_spent >= 0),
	day         TEXT   NOT NULL,
	month       TEXT   NOT NULL,
	created_at  BIGINT NOT NULL,
	deadline_at BIGINT NOT NULL,
	resolved_at BIGINT,
	CHECK ((resolved_at IS NULL) = (state = 'reserved' OR state = 'active')),
	CHECK ((state = 'settled') = (status = 'completed' OR status = 'failed' OR status = 'cancelled'))
);
INSERT INTO jobs (id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at)
SELECT id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at
FROM jobs_before;

CREATE TABLE idempotency (
	key_id      TEXT   NOT NULL REFERENCES keys (id),
	name        TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	job_id      TEXT   NOT NULL UNIQUE REFERENCES jobs (id),
	created_at  BIGINT NOT NULL,
	PRIMARY KEY (key_id, name)
);
INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at)
SELECT key_id, name, fingerprint, job_id, created_at FROM idempotency_before;

DROP TABLE idempotency_before;
DROP TABLE jobs_before;

-- The jobs of a project, those that are not resolved together: they are counted.
-- Neither index holds what a commit changes.
CREATE INDEX jobs_by_project ON jobs (project_id, resolved_at, status);
CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE resolved_at IS NULL;

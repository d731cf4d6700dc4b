-- Constraints have names, those that PostgreSQL gives them. New ones bind what is
-- written from now on: rows that break them stay as they are, and svc doctor names
-- them. SQLite names no constraint of a table that is there, so that all tables
-- that have any are made anew.

DROP INDEX keys_by_user;
DROP INDEX projects_by_owner;
DROP INDEX jobs_by_project;
DROP INDEX jobs_unfinished;
DROP INDEX jobs_resolved;
DROP INDEX tik_entries_by_user;
DROP INDEX sessions_by_user;
DROP INDEX session_codes_by_expiry;
ALTER TABLE reported RENAME TO reported_before;
ALTER TABLE idempotency RENAME TO idempotency_before;
ALTER TABLE revlog RENAME TO revlog_before;
ALTER TABLE tik_entries RENAME TO tik_entries_before;
ALTER TABLE usage RENAME TO usage_before;
ALTER TABLE jobs RENAME TO jobs_before;
ALTER TABLE projects RENAME TO projects_before;
ALTER TABLE keys RENAME TO keys_before;
ALTER TABLE credits RENAME TO credits_before;
ALTER TABLE session_codes RENAME TO session_codes_before;
ALTER TABLE sessions RENAME TO sessions_before;
ALTER TABLE balances RENAME TO balances_before;
ALTER TABLE users RENAME TO users_before;
ALTER TABLE feed_cursor RENAME TO feed_cursor_before;
ALTER TABLE heads RENAME TO heads_before;
ALTER TABLE engine_owner RENAME TO engine_owner_before;
ALTER TABLE deleted_projects RENAME TO deleted_projects_before;

CREATE TABLE users (
	id         TEXT   CONSTRAINT users_pkey PRIMARY KEY CONSTRAINT users_id_check CHECK (length(id) BETWEEN 1 AND 120),
	created_at BIGINT NOT NULL
);

CREATE TABLE balances (
	user_id TEXT   CONSTRAINT balances_pkey PRIMARY KEY CONSTRAINT balances_user_id_fkey REFERENCES users (id),
	tik     BIGINT NOT NULL
);

CREATE TABLE keys (
	id                  TEXT   CONSTRAINT keys_pkey PRIMARY KEY,
	user_id             TEXT   NOT NULL CONSTRAINT keys_user_id_fkey REFERENCES users (id),
	hash                TEXT   NOT NULL CONSTRAINT keys_hash_key UNIQUE CONSTRAINT keys_hash_check CHECK (length(hash) = 64),
	masked              TEXT   NOT NULL,
	name                TEXT   NOT NULL CONSTRAINT keys_name_check CHECK (length(name) BETWEEN 1 AND 120),
	state               TEXT   NOT NULL CONSTRAINT keys_state_check CHECK (state IN ('active', 'disabled', 'revoked')),
	jobs_per_day        BIGINT CONSTRAINT keys_jobs_per_day_check CHECK (jobs_per_day >= 0),
	jobs_per_month      BIGINT CONSTRAINT keys_jobs_per_month_check CHECK (jobs_per_month >= 0),
	max_concurrent_jobs BIGINT CONSTRAINT keys_max_concurrent_jobs_check CHECK (max_concurrent_jobs >= 0),
	tik_per_month       BIGINT CONSTRAINT keys_tik_per_month_check CHECK (tik_per_month >= 0),
	version             BIGINT NOT NULL CONSTRAINT keys_version_check CHECK (version > 0),
	running             BIGINT NOT NULL DEFAULT 0 CONSTRAINT keys_running_check CHECK (running >= 0),
	clock               BIGINT NOT NULL DEFAULT 0,
	created_at          BIGINT NOT NULL,
	last_used_at        BIGINT
);

CREATE TABLE projects (
	id          TEXT   CONSTRAINT projects_pkey PRIMARY KEY CONSTRAINT projects_id_check CHECK (length(id) = 24),
	owner_id    TEXT   NOT NULL CONSTRAINT projects_owner_id_fkey REFERENCES users (id),
	session_id  TEXT   NOT NULL CONSTRAINT projects_session_id_key UNIQUE,
	name        TEXT   NOT NULL,
	template    TEXT   NOT NULL,
	description TEXT   NOT NULL,
	created_at  BIGINT NOT NULL,
	attributes  TEXT   NOT NULL DEFAULT '{}'
		CONSTRAINT projects_attributes_check CHECK (length(attributes) BETWEEN 2 AND 65536)
);

CREATE TABLE jobs (
	id          TEXT   CONSTRAINT jobs_pkey PRIMARY KEY,
	key_id      TEXT   NOT NULL CONSTRAINT jobs_key_id_fkey REFERENCES keys (id),
	project_id  TEXT   NOT NULL CONSTRAINT jobs_project_id_fkey REFERENCES projects (id),
	state       TEXT   NOT NULL CONSTRAINT jobs_state_check
		CHECK (state = 'reserved' OR state = 'active' OR state = 'settled' OR state = 'released'),
	status      TEXT   NOT NULL CONSTRAINT jobs_status_check
		CHECK (status = 'queued' OR status = 'running' OR status = 'completed' OR status = 'failed' OR status = 'cancelled'),
	record      TEXT   NOT NULL,
	next_step   TEXT   NOT NULL DEFAULT '',
	tik_spent   BIGINT NOT NULL DEFAULT 0 CONSTRAINT jobs_tik_spent_check CHECK (tik_spent >= 0),
	day         TEXT   NOT NULL,
	month       TEXT   NOT NULL,
	created_at  BIGINT NOT NULL,
	deadline_at BIGINT NOT NULL,
	resolved_at BIGINT,
	CONSTRAINT jobs_resolved_at_check CHECK ((resolved_at IS NULL) = (state = 'reserved' OR state = 'active')),
	CONSTRAINT jobs_settled_check CHECK ((state = 'settled') = (status = 'completed' OR status = 'failed' OR status = 'cancelled'))
);

CREATE TABLE usage (
	key_id TEXT   NOT NULL CONSTRAINT usage_key_id_fkey REFERENCES keys (id),
	bucket TEXT   NOT NULL,
	jobs   BIGINT NOT NULL CONSTRAINT usage_jobs_check CHECK (jobs >= 0),
	tik    BIGINT NOT NULL CONSTRAINT usage_tik_check CHECK (tik >= 0),
	CONSTRAINT usage_pkey PRIMARY KEY (key_id, bucket)
);

CREATE TABLE tik_entries (
	project_id TEXT   NOT NULL,
	feed_id    TEXT   NOT NULL,
	seq        BIGINT NOT NULL,
	user_id    TEXT   NOT NULL CONSTRAINT tik_entries_user_id_fkey REFERENCES users (id),
	key_id     TEXT   CONSTRAINT tik_entries_key_id_fkey REFERENCES keys (id),
	job_id     TEXT,
	delta      BIGINT NOT NULL,
	units      TEXT   NOT NULL,
	at         BIGINT NOT NULL,
	CONSTRAINT tik_entries_pkey PRIMARY KEY (project_id, feed_id, seq),
	CONSTRAINT tik_entries_shape_check CHECK (
		project_id = '' AND feed_id = 'credit' AND key_id IS NULL AND job_id IS NULL AND delta > 0 AND units = '[]'
		OR length(project_id) = 24 AND feed_id <> '' AND key_id IS NOT NULL AND job_id IS NOT NULL AND delta <= 0
			AND (units = 'null' OR units LIKE '[%]'))
);

CREATE TABLE feed_cursor (
	project_id TEXT   NOT NULL,
	feed_id    TEXT   NOT NULL,
	seq        BIGINT NOT NULL CONSTRAINT feed_cursor_seq_check CHECK (seq >= 0),
	CONSTRAINT feed_cursor_pkey PRIMARY KEY (project_id, feed_id)
);

CREATE TABLE idempotency (
	key_id      TEXT   NOT NULL CONSTRAINT idempotency_key_id_fkey REFERENCES keys (id),
	name        TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	job_id      TEXT   NOT NULL CONSTRAINT idempotency_job_id_key UNIQUE CONSTRAINT idempotency_job_id_fkey REFERENCES jobs (id),
	created_at  BIGINT NOT NULL,
	CONSTRAINT idempotency_pkey PRIMARY KEY (key_id, name)
);

CREATE TABLE heads (
	log TEXT   CONSTRAINT heads_pkey PRIMARY KEY,
	seq BIGINT NOT NULL CONSTRAINT heads_seq_check CHECK (seq >= 0)
);

CREATE TABLE revlog (
	seq    BIGINT CONSTRAINT revlog_pkey PRIMARY KEY,
	at     BIGINT NOT NULL,
	key_id TEXT   NOT NULL CONSTRAINT revlog_key_id_fkey REFERENCES keys (id),
	state  TEXT   NOT NULL
);

CREATE TABLE sessions (
	hash       TEXT   CONSTRAINT sessions_pkey PRIMARY KEY CONSTRAINT sessions_hash_check CHECK (length(hash) = 64),
	user_id    TEXT   NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users (id),
	via        TEXT   NOT NULL CONSTRAINT sessions_via_check CHECK (via IN ('link', 'oidc', 'caddy')),
	created_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL,
	CONSTRAINT sessions_seen_at_check CHECK (seen_at >= created_at)
);

CREATE TABLE session_codes (
	hash       TEXT   CONSTRAINT session_codes_pkey PRIMARY KEY CONSTRAINT session_codes_hash_check CHECK (length(hash) = 64),
	purpose    TEXT   NOT NULL CONSTRAINT session_codes_purpose_check CHECK (purpose IN ('login', 'preview', 'form')),
	user_id    TEXT   NOT NULL CONSTRAINT session_codes_user_id_fkey REFERENCES users (id),
	subject    TEXT   NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT
);

CREATE TABLE engine_owner (
	one          BIGINT CONSTRAINT engine_owner_pkey PRIMARY KEY CONSTRAINT engine_owner_one_check CHECK (one = 1),
	installation TEXT   NOT NULL CONSTRAINT engine_owner_installation_check CHECK (length(installation) BETWEEN 1 AND 64),
	place        TEXT   NOT NULL CONSTRAINT engine_owner_place_check CHECK (length(place) BETWEEN 1 AND 4096),
	since        BIGINT NOT NULL
);

CREATE TABLE credits (
	reference TEXT   CONSTRAINT credits_pkey PRIMARY KEY CONSTRAINT credits_reference_check CHECK (length(reference) BETWEEN 1 AND 120),
	user_id   TEXT   NOT NULL CONSTRAINT credits_user_id_fkey REFERENCES users (id),
	tik       BIGINT NOT NULL CONSTRAINT credits_tik_check CHECK (tik > 0),
	at        BIGINT NOT NULL
);

CREATE TABLE deleted_projects (
	project_id TEXT   CONSTRAINT deleted_projects_pkey PRIMARY KEY
		CONSTRAINT deleted_projects_project_id_check CHECK (length(project_id) = 24),
	deleted_at BIGINT NOT NULL
);

CREATE TABLE reported (
	job_id   TEXT   NOT NULL CONSTRAINT reported_job_id_fkey REFERENCES jobs (id) ON DELETE CASCADE,
	unit     TEXT   NOT NULL,
	quantity BIGINT NOT NULL CONSTRAINT reported_quantity_check CHECK (quantity BETWEEN 0 AND 1000),
	steps    BIGINT NOT NULL CONSTRAINT reported_steps_check CHECK (steps BETWEEN 1 AND 1000),
	CONSTRAINT reported_pkey PRIMARY KEY (job_id, unit)
);

PRAGMA ignore_check_constraints = ON;
INSERT INTO users (id, created_at) SELECT id, created_at FROM users_before;
INSERT INTO balances (user_id, tik) SELECT user_id, tik FROM balances_before;
INSERT INTO keys (id, user_id, hash, masked, name, state, jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month,
	version, running, clock, created_at, last_used_at)
SELECT id, user_id, hash, masked, name, state, jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month,
	version, running, clock, created_at, last_used_at
FROM keys_before;
INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at, attributes)
SELECT id, owner_id, session_id, name, template, description, created_at, attributes FROM projects_before;
INSERT INTO jobs (id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at)
SELECT id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at
FROM jobs_before;
INSERT INTO usage (key_id, bucket, jobs, tik) SELECT key_id, bucket, jobs, tik FROM usage_before;
INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
SELECT project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at FROM tik_entries_before;
INSERT INTO feed_cursor (project_id, feed_id, seq) SELECT project_id, feed_id, seq FROM feed_cursor_before;
INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at)
SELECT key_id, name, fingerprint, job_id, created_at FROM idempotency_before;
INSERT INTO heads (log, seq) SELECT log, seq FROM heads_before;
INSERT INTO revlog (seq, at, key_id, state) SELECT seq, at, key_id, state FROM revlog_before;
INSERT INTO sessions (hash, user_id, via, created_at, seen_at) SELECT hash, user_id, via, created_at, seen_at FROM sessions_before;
INSERT INTO session_codes (hash, purpose, user_id, subject, expires_at, used_at)
SELECT hash, purpose, user_id, subject, expires_at, used_at FROM session_codes_before;
INSERT INTO engine_owner (one, installation, place, since) SELECT one, installation, place, since FROM engine_owner_before;
INSERT INTO credits (reference, user_id, tik, at) SELECT reference, user_id, tik, at FROM credits_before;
INSERT INTO deleted_projects (project_id, deleted_at) SELECT project_id, deleted_at FROM deleted_projects_before;
INSERT INTO reported (job_id, unit, quantity, steps) SELECT job_id, unit, quantity, steps FROM reported_before;
PRAGMA ignore_check_constraints = OFF;

DROP TABLE reported_before;
DROP TABLE idempotency_before;
DROP TABLE revlog_before;
DROP TABLE tik_entries_before;
DROP TABLE usage_before;
DROP TABLE jobs_before;
DROP TABLE projects_before;
DROP TABLE keys_before;
DROP TABLE credits_before;
DROP TABLE session_codes_before;
DROP TABLE sessions_before;
DROP TABLE balances_before;
DROP TABLE users_before;
DROP TABLE feed_cursor_before;
DROP TABLE heads_before;
DROP TABLE engine_owner_before;
DROP TABLE deleted_projects_before;

CREATE INDEX keys_by_user ON keys (user_id, created_at, id);
CREATE INDEX projects_by_owner ON projects (owner_id, created_at, id);
CREATE INDEX jobs_by_project ON jobs (project_id, resolved_at, status);
CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX jobs_resolved ON jobs (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX tik_entries_by_user ON tik_entries (user_id, at);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX session_codes_by_expiry ON session_codes (expires_at);

-- A job moves from reserved to active or released, and from active to settled.
CREATE TRIGGER jobs_moves AFTER UPDATE OF state ON jobs
WHEN NEW.state <> OLD.state
	AND NOT (OLD.state = 'reserved' AND (NEW.state = 'active' OR NEW.state = 'released') OR OLD.state = 'active' AND NEW.state = 'settled')
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: jobs_moves');
END;

-- A revoked key stays revoked.
CREATE TRIGGER keys_moves AFTER UPDATE OF state ON keys
WHEN OLD.state = 'revoked' AND NEW.state <> 'revoked'
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: keys_moves');
END;

-- A user has at most 20 keys that are not revoked (store.MaxKeys).
CREATE TRIGGER keys_per_user AFTER INSERT ON keys
WHEN NEW.state <> 'revoked' AND (SELECT count(*) FROM keys WHERE user_id = NEW.user_id AND state <> 'revoked') > 20
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: keys_per_user');
END;

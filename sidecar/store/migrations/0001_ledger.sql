-- Users, keys, projects, jobs and the ledger. Times are UTC milliseconds,
-- amounts micro-TIK. What must hold whatever the code does stands here as a
-- constraint.

CREATE TABLE users (
	id         TEXT   PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 120),
	created_at BIGINT NOT NULL
);

-- A balance may be below zero by the steps that were under way when it ran out.
CREATE TABLE balances (
	user_id TEXT   PRIMARY KEY REFERENCES users (id),
	tik     BIGINT NOT NULL
);

-- clock is the latest instant this key was counted at: its buckets never go
-- back, whatever the wall clock does. running counts its unfinished jobs.
CREATE TABLE keys (
	id                  TEXT   PRIMARY KEY,
	user_id             TEXT   NOT NULL REFERENCES users (id),
	hash                TEXT   NOT NULL UNIQUE CHECK (length(hash) = 64),
	masked              TEXT   NOT NULL,
	name                TEXT   NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
	state               TEXT   NOT NULL CHECK (state IN ('active', 'disabled', 'revoked')),
	jobs_per_day        BIGINT CHECK (jobs_per_day >= 0),
	jobs_per_month      BIGINT CHECK (jobs_per_month >= 0),
	max_concurrent_jobs BIGINT CHECK (max_concurrent_jobs >= 0),
	tik_per_month       BIGINT CHECK (tik_per_month >= 0),
	version             BIGINT NOT NULL CHECK (version > 0),
	running             BIGINT NOT NULL DEFAULT 0 CHECK (running >= 0),
	clock               BIGINT NOT NULL DEFAULT 0,
	created_at          BIGINT NOT NULL,
	last_used_at        BIGINT
);
CREATE INDEX keys_by_user ON keys (user_id, created_at, id);

CREATE TABLE projects (
	id          TEXT   PRIMARY KEY CHECK (length(id) = 24),
	owner_id    TEXT   NOT NULL REFERENCES users (id),
	session_id  TEXT   NOT NULL UNIQUE,
	name        TEXT   NOT NULL,
	template    TEXT   NOT NULL,
	description TEXT   NOT NULL,
	attributes  TEXT   NOT NULL,
	created_at  BIGINT NOT NULL
);
CREATE INDEX projects_by_owner ON projects (owner_id, created_at, id);

-- A submission. day and month name the buckets it counts in, so that undoing it
-- after midnight undoes the right ones. status repeats the record's; next_step
-- is the priced step that its engine announced last.
CREATE TABLE jobs (
	id          TEXT   PRIMARY KEY,
	key_id      TEXT   NOT NULL REFERENCES keys (id),
	project_id  TEXT   NOT NULL REFERENCES projects (id),
	state       TEXT   NOT NULL CHECK (state IN ('reserved', 'active', 'settled', 'released')),
	status      TEXT   NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
	record      TEXT   NOT NULL,
	next_step   TEXT   NOT NULL DEFAULT '',
	tik_spent   BIGINT NOT NULL DEFAULT 0 CHECK (tik_spent >= 0),
	day         TEXT   NOT NULL,
	month       TEXT   NOT NULL,
	created_at  BIGINT NOT NULL,
	deadline_at BIGINT NOT NULL,
	resolved_at BIGINT,
	CHECK ((resolved_at IS NULL) = (state IN ('reserved', 'active'))),
	CHECK ((state = 'settled') = (status IN ('completed', 'failed', 'cancelled')))
);
CREATE INDEX jobs_by_project ON jobs (project_id, created_at, id);
CREATE INDEX jobs_unfinished ON jobs (project_id, status) WHERE state IN ('reserved', 'active');

-- What a key used in a day ("d:2026-11-20") or a month ("m:2026-11").
CREATE TABLE usage (
	key_id TEXT   NOT NULL REFERENCES keys (id),
	bucket TEXT   NOT NULL,
	jobs   BIGINT NOT NULL CHECK (jobs >= 0),
	tik    BIGINT NOT NULL CHECK (tik >= 0),
	PRIMARY KEY (key_id, bucket)
);

-- Every movement of a balance: delta is its effect, negative for a charge. A
-- charge is named by the feed record that reported it, a credit by project ''
-- and feed 'credit'. The sum of a user's entries is the balance. No reference
-- to projects or jobs: the entries of deleted ones remain.
CREATE TABLE tik_entries (
	project_id TEXT   NOT NULL,
	feed_id    TEXT   NOT NULL,
	seq        BIGINT NOT NULL,
	user_id    TEXT   NOT NULL REFERENCES users (id),
	key_id     TEXT   REFERENCES keys (id),
	job_id     TEXT,
	delta      BIGINT NOT NULL,
	units      TEXT   NOT NULL,
	at         BIGINT NOT NULL,
	PRIMARY KEY (project_id, feed_id, seq)
);
CREATE INDEX tik_entries_by_user ON tik_entries (user_id, at);

CREATE TABLE feed_cursor (
	project_id TEXT   NOT NULL,
	feed_id    TEXT   NOT NULL,
	seq        BIGINT NOT NULL CHECK (seq >= 0),
	PRIMARY KEY (project_id, feed_id)
);

CREATE TABLE idempotency (
	key_id      TEXT   NOT NULL REFERENCES keys (id),
	name        TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	job_id      TEXT   NOT NULL UNIQUE REFERENCES jobs (id),
	created_at  BIGINT NOT NULL,
	PRIMARY KEY (key_id, name)
);

-- The last number given out in each log. Taking one locks its row, so that no
-- number appears after a later one did.
CREATE TABLE heads (
	log TEXT   PRIMARY KEY,
	seq BIGINT NOT NULL CHECK (seq >= 0)
);
INSERT INTO heads (log, seq) VALUES ('audit', 0), ('revlog', 0), ('credit', 0);

CREATE TABLE audit (
	seq     BIGINT PRIMARY KEY,
	at      BIGINT NOT NULL,
	actor   TEXT   NOT NULL,
	action  TEXT   NOT NULL,
	subject TEXT   NOT NULL,
	detail  TEXT   NOT NULL
);
CREATE INDEX audit_by_subject ON audit (subject, seq);

-- Changes of keys' states, for whoever caches them.
CREATE TABLE revlog (
	seq    BIGINT PRIMARY KEY,
	at     BIGINT NOT NULL,
	key_id TEXT   NOT NULL REFERENCES keys (id),
	state  TEXT   NOT NULL
);

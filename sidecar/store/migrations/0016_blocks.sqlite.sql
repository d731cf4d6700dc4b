-- The owner of a game that is played is charged for blocks of its events: an entry of
-- the game alone, of no key and no job. SQLite changes no constraint of a table that is
-- there, so that the table is made anew.
DROP INDEX tik_entries_by_user;
ALTER TABLE tik_entries RENAME TO tik_entries_before;

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
		OR length(project_id) = 24 AND feed_id = 'play blocks' AND seq > 0 AND key_id IS NULL AND job_id IS NULL AND delta <= 0
			AND units LIKE '[%]'
		OR length(project_id) = 24 AND feed_id <> '' AND feed_id <> 'play blocks' AND key_id IS NOT NULL AND job_id IS NOT NULL
			AND delta <= 0 AND (units = 'null' OR units LIKE '[%]'))
);

PRAGMA ignore_check_constraints = ON;
INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
SELECT project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at FROM tik_entries_before;
PRAGMA ignore_check_constraints = OFF;

DROP TABLE tik_entries_before;
CREATE INDEX tik_entries_by_user ON tik_entries (user_id, at);

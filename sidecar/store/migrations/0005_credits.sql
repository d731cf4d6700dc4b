-- The credits that came with a reference of whoever gave them, so that one that
-- is told twice counts once. The entry is in tik_entries.
CREATE TABLE credits (
	reference TEXT   PRIMARY KEY CHECK (length(reference) BETWEEN 1 AND 120),
	user_id   TEXT   NOT NULL REFERENCES users (id),
	tik       BIGINT NOT NULL CHECK (tik > 0),
	at        BIGINT NOT NULL
);

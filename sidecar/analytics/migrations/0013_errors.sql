-- How many errors of the game in a session no code of it caught: 10 at most are counted.
ALTER TABLE play_streams ADD COLUMN errors BIGINT NOT NULL DEFAULT 0 CONSTRAINT play_streams_errors_check CHECK (errors BETWEEN 0 AND 10);

-- What is kept of a game's day though nobody pays for it, about.
CREATE TABLE play_free (
	game  TEXT   NOT NULL,
	day   BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	CONSTRAINT play_free_pkey PRIMARY KEY (game, day)
);
CREATE INDEX play_free_day ON play_free (day);

-- When the service saw a stream first, in ms, by its own clock; 0 for one from before.
ALTER TABLE play_streams ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;

-- A player's value follows from the experiment's salt, and variants do not change once it
-- runs. The table itself goes with a later version: sidecars of this one's predecessor, beside
-- which it may run, write to it.
DELETE FROM play_assignments;

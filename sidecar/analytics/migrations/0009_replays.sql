-- Runs that are to be played again, to find out whether they come to the score that was
-- reported.
CREATE TABLE play_replays (
	game    TEXT   NOT NULL,
	stream  TEXT   NOT NULL,
	run     BIGINT NOT NULL,
	player  TEXT   NOT NULL,
	build   TEXT   NOT NULL, -- whose game it is played with
	log     TEXT   NOT NULL, -- the run as its page reported it
	length  BIGINT NOT NULL, -- ms that it took at most
	at      BIGINT NOT NULL, -- ms, when it came
	until   BIGINT NOT NULL, -- ms: an engine proxy has it until then
	tries   BIGINT NOT NULL, -- how often one had it
	differs BIGINT NOT NULL, -- 1: it came to another end, in a game that may do so by itself
	CONSTRAINT play_replays_pkey PRIMARY KEY (game, stream, run)
);
CREATE INDEX play_replays_at ON play_replays (at);

-- What became of them.
CREATE TABLE play_replayed (
	game   TEXT   NOT NULL,
	day    BIGINT NOT NULL,
	build  TEXT   NOT NULL,
	result TEXT   NOT NULL, -- verified, refused or unverified
	runs   BIGINT NOT NULL,
	CONSTRAINT play_replayed_pkey PRIMARY KEY (game, day, build, result)
);

-- The time of the run of a place, once that is verified: with another run on it, which a
-- former sidecar may have put there, the place is not.
ALTER TABLE play_boards ADD COLUMN verified_at BIGINT NOT NULL DEFAULT 0;

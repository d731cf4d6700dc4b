-- Runs that are to be played again, to find out whether they come to the score that was
-- reported.
CREATE TABLE play_replays (
	game    TEXT   NOT NULL,
	stream  TEXT   NOT NULL,
	run     BIGINT NOT NULL,
	player  TEXT   NOT NULL,
	build   TEXT   NOT NULL, -- whose game it is played with
	length  BIGINT NOT NULL, -- ms that it took at most, as the service saw
	at      BIGINT NOT NULL, -- ms, when it came
	until   BIGINT NOT NULL, -- ms: an engine proxy has it until then
	tries   BIGINT NOT NULL, -- how often one had it
	given   TEXT   NOT NULL, -- parameters that the service gave its player, as JSON
	log     TEXT   NOT NULL, -- the run as its page reported it; last, as it is long
	CONSTRAINT play_replays_pkey PRIMARY KEY (game, stream, run)
);
CREATE INDEX play_replays_at ON play_replays (at);
CREATE INDEX play_replays_game ON play_replays (game, until);

-- When a game has its next turn: one that takes long has it later.
CREATE TABLE play_replay_turns (
	game TEXT   NOT NULL,
	at   BIGINT NOT NULL, -- ms
	CONSTRAINT play_replay_turns_pkey PRIMARY KEY (game)
);

-- Since when, in ms, scores are compared as they are: those of before are on no board.
ALTER TABLE play_board_settings ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

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

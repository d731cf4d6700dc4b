-- What an owner set for a game's board. A game without a row has the defaults.
CREATE TABLE play_board_settings (
	game       TEXT   NOT NULL PRIMARY KEY,
	lower      BIGINT NOT NULL, -- 1: the lower score is the better one
	least      DOUBLE PRECISION, -- bounds of a score; null: none
	most       DOUBLE PRECISION,
	per_second DOUBLE PRECISION -- more than so much a second of a run is held; null: nothing is
);

-- The best run of each player in a span of time. rank_key grows with how good it is.
CREATE TABLE play_boards (
	game     TEXT   NOT NULL,
	span     TEXT   NOT NULL, -- all, 2026-W48 or 2026-11-25, UTC
	player   TEXT   NOT NULL,
	rank_key DOUBLE PRECISION NOT NULL,
	score    DOUBLE PRECISION NOT NULL,
	at       BIGINT NOT NULL, -- ms
	PRIMARY KEY (game, span, player)
);
CREATE INDEX play_boards_rank ON play_boards (game, span, rank_key DESC, at, player);

-- Each run that ended once, so that one which is reported again changes nothing.
CREATE TABLE play_runs (
	game    TEXT   NOT NULL,
	stream  TEXT   NOT NULL,
	run     BIGINT NOT NULL, -- of the stream
	player  TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	at      BIGINT NOT NULL,
	score   DOUBLE PRECISION NOT NULL,
	outcome TEXT   NOT NULL,
	state   TEXT   NOT NULL, -- accepted, held
	PRIMARY KEY (game, stream, run)
);
CREATE INDEX play_runs_player ON play_runs (game, player, at);
CREATE INDEX play_runs_day ON play_runs (day);

CREATE TABLE play_rewards (
	game  TEXT   NOT NULL,
	id    TEXT   NOT NULL,
	name  TEXT   NOT NULL,
	icon  TEXT   NOT NULL,
	kind  TEXT   NOT NULL, -- win, score, runs or days
	least DOUBLE PRECISION NOT NULL, -- of what kind says
	daily BIGINT NOT NULL, -- 1: once a day, 0: once
	PRIMARY KEY (game, id)
);

-- period is a day of UTC for a daily reward, else "".
CREATE TABLE play_grants (
	game   TEXT   NOT NULL,
	player TEXT   NOT NULL,
	reward TEXT   NOT NULL,
	period TEXT   NOT NULL,
	stream TEXT   NOT NULL, -- and run, for which it was given
	run    BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (game, player, reward, period)
);

CREATE TABLE play_experiments (
	game       TEXT   NOT NULL,
	id         TEXT   NOT NULL, -- the parameter that differs
	state      TEXT   NOT NULL, -- draft, running, stopped, winner
	variants   TEXT   NOT NULL, -- JSON
	winner     TEXT   NOT NULL, -- its value, in state winner
	salt       TEXT   NOT NULL, -- of the assignment
	started_at BIGINT NOT NULL, -- ms, 0: not yet
	stopped_at BIGINT NOT NULL,
	PRIMARY KEY (game, id)
);

-- What a player was given first, which stays though weights change.
CREATE TABLE play_assignments (
	game       TEXT NOT NULL,
	experiment TEXT NOT NULL,
	player     TEXT NOT NULL,
	variant    TEXT NOT NULL,
	PRIMARY KEY (game, experiment, player)
);

-- That a player's game read it.
CREATE TABLE play_exposures (
	game       TEXT   NOT NULL,
	experiment TEXT   NOT NULL,
	player     TEXT   NOT NULL,
	variant    TEXT   NOT NULL,
	day        BIGINT NOT NULL,
	mixed      BIGINT NOT NULL, -- 1: read another one as well
	PRIMARY KEY (game, experiment, player)
);
CREATE INDEX play_streams_player ON play_streams (game, player);

-- The build that a player played first: who stays is counted by it.
ALTER TABLE play_players ADD COLUMN build TEXT NOT NULL DEFAULT '';

-- How far a stream came in each of its funnels, as JSON.
ALTER TABLE play_streams ADD COLUMN progress TEXT NOT NULL DEFAULT '{}';
CREATE INDEX play_streams_game ON play_streams (game, day);

-- How many streams reached a step, and how long after the one before: bucket n is that
-- of 2^(n/4) seconds, -1 for a first step.
CREATE TABLE play_funnels (
	game    TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	class   TEXT   NOT NULL,
	build   TEXT   NOT NULL,
	funnel  TEXT   NOT NULL,
	step    BIGINT NOT NULL, -- from 1
	name    TEXT   NOT NULL, -- of the step's event
	bucket  BIGINT NOT NULL,
	streams BIGINT NOT NULL,
	PRIMARY KEY (game, day, class, build, funnel, step, name, bucket)
);

-- How many runs ended with which score: bucket n holds those of 2^(n/4) - 1 and more,
-- -1 those below 0.
CREATE TABLE play_scores (
	game   TEXT   NOT NULL,
	day    BIGINT NOT NULL,
	class  TEXT   NOT NULL,
	build  TEXT   NOT NULL,
	bucket BIGINT NOT NULL,
	runs   BIGINT NOT NULL,
	PRIMARY KEY (game, day, class, build, bucket)
);

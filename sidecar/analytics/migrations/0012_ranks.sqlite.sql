-- How many players of a board stand in each of its parts, from a rank_key up to that of the
-- next one: a rank is a sum of parts, and a count within one. A small board has none. They are
-- kept by triggers, so that what a sidecar of an earlier version writes is counted as well.
CREATE TABLE play_ranks (
	game     TEXT   NOT NULL,
	span     TEXT   NOT NULL,
	from_key DOUBLE PRECISION NOT NULL,
	players  BIGINT NOT NULL,
	CONSTRAINT play_ranks_pkey PRIMARY KEY (game, span, from_key)
);
CREATE TRIGGER play_ranks_more AFTER INSERT ON play_boards
BEGIN
	UPDATE play_ranks SET players = players + 1 WHERE game = NEW.game AND span = NEW.span AND from_key =
		(SELECT max(r.from_key) FROM play_ranks r WHERE r.game = NEW.game AND r.span = NEW.span AND r.from_key <= NEW.rank_key);
END;
CREATE TRIGGER play_ranks_fewer AFTER DELETE ON play_boards
BEGIN
	UPDATE play_ranks SET players = players - 1 WHERE game = OLD.game AND span = OLD.span AND from_key =
		(SELECT max(r.from_key) FROM play_ranks r WHERE r.game = OLD.game AND r.span = OLD.span AND r.from_key <= OLD.rank_key);
END;
CREATE TRIGGER play_ranks_moved AFTER UPDATE OF rank_key ON play_boards WHEN NEW.rank_key <> OLD.rank_key
BEGIN
	UPDATE play_ranks SET players = players - 1 WHERE game = OLD.game AND span = OLD.span AND from_key =
		(SELECT max(r.from_key) FROM play_ranks r WHERE r.game = OLD.game AND r.span = OLD.span AND r.from_key <= OLD.rank_key);
	UPDATE play_ranks SET players = players + 1 WHERE game = NEW.game AND span = NEW.span AND from_key =
		(SELECT max(r.from_key) FROM play_ranks r WHERE r.game = NEW.game AND r.span = NEW.span AND r.from_key <= NEW.rank_key);
END;

-- Runs that are held back are few, and their owner looks at them.
CREATE INDEX play_runs_held ON play_runs (game, at) WHERE state = 'held';

-- Who is forgotten is found among all players of a game.
CREATE INDEX play_boards_player ON play_boards (game, player);
CREATE INDEX play_exposures_player ON play_exposures (game, player);

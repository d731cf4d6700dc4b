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

-- It counts what a statement changed, once a part. All lock parts in one order, so that none
-- waits in a circle, and wait for whoever makes parts anew.
CREATE FUNCTION play_ranks_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	part RECORD;
BEGIN
	LOCK TABLE play_ranks IN ROW EXCLUSIVE MODE;
	FOR part IN
		SELECT c.game, c.span, p.from_key, count(*) AS players FROM changed c
		CROSS JOIN LATERAL (SELECT r.from_key FROM play_ranks r WHERE r.game = c.game AND r.span = c.span AND r.from_key <= c.rank_key
			ORDER BY r.from_key DESC LIMIT 1) p
		GROUP BY c.game, c.span, p.from_key ORDER BY c.game COLLATE "C", c.span COLLATE "C", p.from_key
	LOOP
		UPDATE play_ranks SET players = players + part.players * CAST(TG_ARGV[0] AS BIGINT)
			WHERE game = part.game AND span = part.span AND from_key = part.from_key;
	END LOOP;
	RETURN NULL;
END $$;
CREATE TRIGGER play_ranks_come AFTER INSERT ON play_boards REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION play_ranks_count('1');
CREATE TRIGGER play_ranks_go AFTER DELETE ON play_boards REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION play_ranks_count('-1');
CREATE TRIGGER play_ranks_from AFTER UPDATE ON play_boards REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION play_ranks_count('-1');
CREATE TRIGGER play_ranks_to AFTER UPDATE ON play_boards REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION play_ranks_count('1');

-- Runs that are held back are few, and their owner looks at them.
CREATE INDEX play_runs_held ON play_runs (game, at) WHERE state = 'held';

-- Who is forgotten is found among all players of a game.
CREATE INDEX play_boards_player ON play_boards (game, player);
CREATE INDEX play_exposures_player ON play_exposures (game, player);

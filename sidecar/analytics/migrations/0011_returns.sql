-- How many players played on a day, by the day on which they had played before, -1 for none:
-- those of some days are those of each of these whose last one is not among them.
CREATE TABLE play_returns (
	game    TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	last    BIGINT NOT NULL,
	players BIGINT NOT NULL,
	CONSTRAINT play_returns_pkey PRIMARY KEY (game, day, last)
);
CREATE INDEX play_returns_day ON play_returns (day);
INSERT INTO play_returns (game, day, last, players)
	SELECT game, day, last, count(*) FROM (SELECT game, day, coalesce(lag(day) OVER (PARTITION BY game, player ORDER BY day), -1) AS last
		FROM play_player_days WHERE class = 'public' AND plays > 0) d
	GROUP BY game, day, last;

-- How many players played so many days after their first one, 0 for all of them, by that
-- day and the build that they played on it.
CREATE TABLE play_stays (
	game      TEXT   NOT NULL,
	first_day BIGINT NOT NULL,
	build     TEXT   NOT NULL,
	after     BIGINT NOT NULL, -- 30 at most
	players   BIGINT NOT NULL,
	CONSTRAINT play_stays_pkey PRIMARY KEY (game, first_day, build, after)
);
CREATE INDEX play_stays_day ON play_stays (first_day);
INSERT INTO play_stays (game, first_day, build, after, players)
	SELECT game, first_day, build, 0, count(*) FROM play_players WHERE class = 'public' GROUP BY game, first_day, build;
INSERT INTO play_stays (game, first_day, build, after, players)
	SELECT p.game, p.first_day, p.build, d.day - p.first_day, count(*) FROM play_players p
	JOIN play_player_days d ON d.game = p.game AND d.player = p.player AND d.class = p.class
	WHERE p.class = 'public' AND d.plays > 0 AND d.day > p.first_day AND d.day <= p.first_day + 30
	GROUP BY p.game, p.first_day, p.build, d.day - p.first_day;

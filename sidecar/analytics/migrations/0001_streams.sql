-- A stream is one load of a game's page. cursor is the last event of it that was
-- looked at: none up to it is looked at again.
CREATE TABLE play_streams (
	game       TEXT   NOT NULL,
	stream     TEXT   NOT NULL,
	cursor     BIGINT NOT NULL,
	anchor     BIGINT NOT NULL, -- when it began, at the latest, in ms
	day        BIGINT NOT NULL, -- UTC, since 1970, on which it is counted
	class      TEXT   NOT NULL,
	build      TEXT   NOT NULL,
	player     TEXT   NOT NULL, -- "" for nobody in particular
	device     TEXT   NOT NULL,
	language   TEXT   NOT NULL,
	variants   TEXT   NOT NULL,
	declared   TEXT   NOT NULL, -- JSON: what the game declared
	last_at    BIGINT NOT NULL,
	active     BIGINT NOT NULL, -- ms
	runs       BIGINT NOT NULL,
	best       DOUBLE PRECISION, -- score
	essential  BIGINT NOT NULL, -- events of the library's own
	custom     BIGINT NOT NULL, -- other ones
	lost       BIGINT NOT NULL, -- never arrived
	PRIMARY KEY (game, stream)
);
CREATE INDEX play_streams_day ON play_streams (day);

CREATE TABLE play_events (
	day    BIGINT NOT NULL,
	game   TEXT   NOT NULL,
	stream TEXT   NOT NULL,
	seq    BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	class  TEXT   NOT NULL,
	name   TEXT   NOT NULL,
	props  TEXT   NOT NULL
);
CREATE INDEX play_events_game ON play_events (game, stream, seq);
CREATE INDEX play_events_day ON play_events (day);

-- What pages show is read from the tables below, each kept in the transaction that
-- keeps the events.
CREATE TABLE play_days (
	game    TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	class   TEXT   NOT NULL,
	build   TEXT   NOT NULL,
	streams BIGINT NOT NULL,
	plays   BIGINT NOT NULL, -- streams with a run
	runs    BIGINT NOT NULL,
	active  BIGINT NOT NULL, -- ms
	events  BIGINT NOT NULL,
	custom  BIGINT NOT NULL,
	lost    BIGINT NOT NULL,
	PRIMARY KEY (game, day, class, build)
);

CREATE TABLE play_counts (
	game   TEXT   NOT NULL,
	day    BIGINT NOT NULL,
	class  TEXT   NOT NULL,
	name   TEXT   NOT NULL,
	events BIGINT NOT NULL,
	PRIMARY KEY (game, day, class, name)
);

-- How many streams were active for how long: bucket n holds those of 2^(n/4) seconds.
CREATE TABLE play_lengths (
	game    TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	class   TEXT   NOT NULL,
	bucket  BIGINT NOT NULL,
	streams BIGINT NOT NULL,
	PRIMARY KEY (game, day, class, bucket)
);

CREATE TABLE play_player_days (
	game    TEXT   NOT NULL,
	day     BIGINT NOT NULL,
	class   TEXT   NOT NULL,
	player  TEXT   NOT NULL,
	plays   BIGINT NOT NULL,
	custom  BIGINT NOT NULL,
	PRIMARY KEY (game, player, class, day)
);
CREATE INDEX play_player_days_game ON play_player_days (game, class, day, plays);
CREATE INDEX play_player_days_day ON play_player_days (day);

CREATE TABLE play_players (
	game      TEXT   NOT NULL,
	class     TEXT   NOT NULL,
	player    TEXT   NOT NULL,
	first_day BIGINT NOT NULL, -- of a play
	PRIMARY KEY (game, player, class)
);
CREATE INDEX play_players_first ON play_players (game, class, first_day);

CREATE TABLE play_names (
	game  TEXT   NOT NULL,
	name  TEXT   NOT NULL,
	PRIMARY KEY (game, name)
);

CREATE TABLE play_drops (
	game   TEXT   NOT NULL,
	hour   BIGINT NOT NULL, -- UTC, since 1970
	cause  TEXT   NOT NULL,
	events BIGINT NOT NULL,
	PRIMARY KEY (game, hour, cause)
);

-- Which installation has the engines of the projects, and with them their
-- volumes: at most one.
CREATE TABLE engine_owner (
	one          BIGINT PRIMARY KEY CHECK (one = 1),
	installation TEXT   NOT NULL CHECK (length(installation) BETWEEN 1 AND 64),
	place        TEXT   NOT NULL CHECK (length(place) BETWEEN 1 AND 4096),
	since        BIGINT NOT NULL
);

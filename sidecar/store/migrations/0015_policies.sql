-- What all sidecars on one database decide by: the history of activations, the files of
-- the policies in it, and by which of them each sidecar decides.
CREATE TABLE policy_state (
	one     BIGINT CONSTRAINT policy_state_pkey PRIMARY KEY CONSTRAINT policy_state_one_check CHECK (one = 1),
	version BIGINT NOT NULL CONSTRAINT policy_state_version_check CHECK (version > 0),
	state   TEXT   NOT NULL
);

CREATE TABLE policy_archives (
	digest  TEXT CONSTRAINT policy_archives_pkey PRIMARY KEY CONSTRAINT policy_archives_digest_check CHECK (length(digest) = 64),
	archive TEXT NOT NULL
);

CREATE TABLE policy_sidecars (
	name     TEXT   CONSTRAINT policy_sidecars_pkey PRIMARY KEY CONSTRAINT policy_sidecars_name_check CHECK (length(name) BETWEEN 1 AND 200),
	revision TEXT   NOT NULL,
	seen_at  BIGINT NOT NULL
);

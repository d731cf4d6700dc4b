-- What the owner of a game set that its page follows. One without a row has the defaults.
CREATE TABLE play_options (
	game        TEXT   NOT NULL CONSTRAINT play_options_pkey PRIMARY KEY,
	ask_consent BIGINT NOT NULL CONSTRAINT play_options_ask_consent_check CHECK (ask_consent IN (0, 1))
);

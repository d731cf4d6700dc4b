-- The users who are suspended, and since when. One without a row is active.
CREATE TABLE suspensions (
	user_id TEXT   NOT NULL CONSTRAINT suspensions_pkey PRIMARY KEY CONSTRAINT suspensions_user_id_fkey REFERENCES users (id),
	at      BIGINT NOT NULL
);

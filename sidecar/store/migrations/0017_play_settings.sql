-- What its owner and the operator set for a game. One without a row has the defaults.
CREATE TABLE play_settings (
	project_id    TEXT   NOT NULL CONSTRAINT play_settings_pkey PRIMARY KEY
		CONSTRAINT play_settings_project_id_fkey REFERENCES projects (id),
	tik_per_month BIGINT CONSTRAINT play_settings_tik_per_month_check CHECK (tik_per_month >= 0), -- null: the default
	origins       TEXT   NOT NULL, -- JSON; []: all
	blocked_at    BIGINT, -- null: it is not
	blocked_for   TEXT   NOT NULL
);

-- What players say is wrong with a game, once a day each.
CREATE TABLE play_reports (
	project_id TEXT   NOT NULL CONSTRAINT play_reports_project_id_fkey REFERENCES projects (id),
	player     TEXT   NOT NULL, -- the name for this game
	day        BIGINT NOT NULL, -- UTC, since 1970
	at         BIGINT NOT NULL,
	reason     TEXT   NOT NULL CONSTRAINT play_reports_reason_check CHECK (reason IN ('broken', 'harmful', 'rights', 'other')),
	CONSTRAINT play_reports_pkey PRIMARY KEY (project_id, player, day)
);
CREATE INDEX play_reports_by_time ON play_reports (at);

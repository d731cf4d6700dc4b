-- What a sidecar asks the others of their decision logs, and what they answer. Both are there
-- for seconds.
CREATE TABLE policy_questions (
	id       TEXT   CONSTRAINT policy_questions_pkey PRIMARY KEY CONSTRAINT policy_questions_id_check CHECK (length(id) BETWEEN 1 AND 64),
	asker    TEXT   NOT NULL,
	question TEXT   NOT NULL,
	asked_at BIGINT NOT NULL
);

CREATE TABLE policy_answers (
	question TEXT NOT NULL,
	sidecar  TEXT NOT NULL,
	answer   TEXT NOT NULL,
	CONSTRAINT policy_answers_pkey PRIMARY KEY (question, sidecar)
);

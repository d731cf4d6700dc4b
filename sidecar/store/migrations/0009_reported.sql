-- What the engine of a job reported as used, each unit by itself: an engine's
-- word counts up to a bound (contract.MaxReported).
CREATE TABLE reported (
	job_id   TEXT   NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
	unit     TEXT   NOT NULL,
	quantity BIGINT NOT NULL CHECK (quantity BETWEEN 0 AND 1000),
	steps    BIGINT NOT NULL CHECK (steps BETWEEN 1 AND 1000),
	PRIMARY KEY (job_id, unit)
);

-- The jobs that are not resolved, by what never changes while they are not: a
-- commit then moves a row and no index.

DROP INDEX jobs_unfinished;
CREATE INDEX jobs_unfinished ON jobs (project_id, status) WHERE resolved_at IS NULL;

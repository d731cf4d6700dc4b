-- The jobs that are resolved, by when: the oldest are forgotten.
CREATE INDEX jobs_resolved ON jobs (resolved_at) WHERE resolved_at IS NOT NULL;

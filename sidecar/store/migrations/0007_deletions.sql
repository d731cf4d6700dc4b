-- Deleted projects of which the engine proxy has not told yet that nothing is
-- left: engine, volume, archive. Nothing else ever has a volume removed.
CREATE TABLE deleted_projects (
	project_id TEXT   PRIMARY KEY CHECK (length(project_id) = 24),
	deleted_at BIGINT NOT NULL
);

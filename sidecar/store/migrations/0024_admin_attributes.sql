-- Attributes of projects that admins alone set: JSON, as the others are.
ALTER TABLE projects ADD COLUMN admin_attributes TEXT NOT NULL DEFAULT '{}'
	CONSTRAINT projects_admin_attributes_check CHECK (length(admin_attributes) BETWEEN 2 AND 65536);

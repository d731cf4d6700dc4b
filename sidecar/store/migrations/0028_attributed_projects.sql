-- Projects that have attributes: lists look among them for those that name a user.
CREATE INDEX projects_attributed ON projects (created_at, id) WHERE attributes <> '{}' OR admin_attributes <> '{}';

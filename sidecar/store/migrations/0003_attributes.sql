-- Attributes of projects are set by people now, so their size is bounded here,
-- and their changes are counted for whoever caches decisions. The column is
-- made anew, as none of the databases adds a constraint to an old one alike.
ALTER TABLE projects RENAME COLUMN attributes TO unbounded;
ALTER TABLE projects ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}' CHECK (length(attributes) BETWEEN 2 AND 65536);
UPDATE projects SET attributes = unbounded;
ALTER TABLE projects DROP COLUMN unbounded;
INSERT INTO heads (log, seq) VALUES ('attributes', 0);

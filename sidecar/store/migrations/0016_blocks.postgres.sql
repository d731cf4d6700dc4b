-- The owner of a game that is played is charged for blocks of its events: an entry of
-- the game alone, of no key and no job.
ALTER TABLE tik_entries DROP CONSTRAINT tik_entries_shape_check;
ALTER TABLE tik_entries ADD CONSTRAINT tik_entries_shape_check CHECK (
	project_id = '' AND feed_id = 'credit' AND key_id IS NULL AND job_id IS NULL AND delta > 0 AND units = '[]'
	OR length(project_id) = 24 AND feed_id = 'play blocks' AND seq > 0 AND key_id IS NULL AND job_id IS NULL AND delta <= 0
		AND units LIKE '[%]'
	OR length(project_id) = 24 AND feed_id <> '' AND feed_id <> 'play blocks' AND key_id IS NOT NULL AND job_id IS NOT NULL
		AND delta <= 0 AND (units = 'null' OR units LIKE '[%]')) NOT VALID;

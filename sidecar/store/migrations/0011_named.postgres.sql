-- Constraints have names that tell what they keep. New ones bind what is written
-- from now on: rows that break them stay as they are, and svc doctor names them.

-- A table that was made anew beside the old one got names with a number.
DO $$
DECLARE
	c    record;
	want text;
BEGIN
	FOR c IN
		SELECT conrelid::regclass AS of, conname AS name, pg_get_constraintdef(oid) AS def FROM pg_constraint
		WHERE conrelid = ANY (ARRAY['users', 'balances', 'keys', 'projects', 'jobs', 'usage', 'tik_entries', 'feed_cursor',
				'idempotency', 'heads', 'audit', 'revlog', 'sessions', 'session_codes', 'engine_owner', 'credits',
				'deleted_projects', 'reported', 'schema_steps']::regclass[])
			AND conname ~ '_(check|fkey|pkey|key)\d*$'
	LOOP
		want := CASE
			WHEN c.name ~ '^jobs_check' AND c.def LIKE '%resolved_at%' THEN 'jobs_resolved_at_check'
			WHEN c.name ~ '^jobs_check' THEN 'jobs_settled_check'
			WHEN c.name ~ '^sessions_check' THEN 'sessions_seen_at_check'
			ELSE regexp_replace(c.name, '\d+$', '')
		END;
		IF want <> c.name THEN
			EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.of, c.name, want);
		END IF;
	END LOOP;
END $$;

ALTER TABLE tik_entries ADD CONSTRAINT tik_entries_shape_check CHECK (
	project_id = '' AND feed_id = 'credit' AND key_id IS NULL AND job_id IS NULL AND delta > 0 AND units = '[]'
	OR length(project_id) = 24 AND feed_id <> '' AND key_id IS NOT NULL AND job_id IS NOT NULL AND delta <= 0
		AND (units = 'null' OR units LIKE '[%]')) NOT VALID;

-- A trigger's function: it fails as the constraint that is called as the trigger.
CREATE FUNCTION svc_refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'row of "%" violates check constraint "%"', TG_TABLE_NAME, TG_NAME
		USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;

-- A job moves from reserved to active or released, and from active to settled.
CREATE TRIGGER jobs_moves BEFORE UPDATE OF state ON jobs FOR EACH ROW
WHEN (NEW.state <> OLD.state
	AND NOT (OLD.state = 'reserved' AND (NEW.state = 'active' OR NEW.state = 'released') OR OLD.state = 'active' AND NEW.state = 'settled'))
EXECUTE FUNCTION svc_refused();

-- A revoked key stays revoked.
CREATE TRIGGER keys_moves BEFORE UPDATE OF state ON keys FOR EACH ROW
WHEN (OLD.state = 'revoked' AND NEW.state <> 'revoked')
EXECUTE FUNCTION svc_refused();

-- A user has at most 20 keys that are not revoked (store.MaxKeys). The transaction that
-- inserts one has locked the user.
CREATE FUNCTION svc_keys_per_user() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF (SELECT count(*) FROM keys WHERE user_id = NEW.user_id AND state <> 'revoked') >= 20 THEN
		RAISE EXCEPTION 'row of "%" violates check constraint "%"', TG_TABLE_NAME, TG_NAME
			USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER keys_per_user BEFORE INSERT ON keys FOR EACH ROW
WHEN (NEW.state <> 'revoked')
EXECUTE FUNCTION svc_keys_per_user();

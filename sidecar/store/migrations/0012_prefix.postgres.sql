-- The functions of triggers have the prefix svc_, so that another application may have
-- functions of any name in the same schema. An earlier text of version 11 made them
-- without it.
DO $$
DECLARE
	f record;
BEGIN
	FOR f IN
		SELECT DISTINCT p.oid::regprocedure AS signature, p.proname AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE t.tgrelid IN ('jobs'::regclass, 'keys'::regclass) AND p.proname IN ('refused', 'at_most_20_keys')
	LOOP
		EXECUTE format('ALTER FUNCTION %s RENAME TO %I', f.signature,
			CASE f.name WHEN 'refused' THEN 'svc_refused' ELSE 'svc_keys_per_user' END);
	END LOOP;
END $$;

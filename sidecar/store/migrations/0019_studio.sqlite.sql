-- The key that stands for a user's studio: who opens it is signed in, so nobody has its
-- secret. It is made with its row here, which comes first.
CREATE TABLE studio_keys (
	user_id TEXT NOT NULL CONSTRAINT studio_keys_pkey PRIMARY KEY CONSTRAINT studio_keys_user_id_fkey REFERENCES users (id),
	key_id  TEXT NOT NULL CONSTRAINT studio_keys_key_id_key UNIQUE
		CONSTRAINT studio_keys_key_id_fkey REFERENCES keys (id) DEFERRABLE INITIALLY DEFERRED
);

-- A user has at most 20 keys that are not revoked (store.MaxKeys), the studio's besides.
DROP TRIGGER keys_per_user;
CREATE TRIGGER keys_per_user AFTER INSERT ON keys
WHEN NEW.state <> 'revoked' AND NOT EXISTS (SELECT 1 FROM studio_keys WHERE key_id = NEW.id) AND (
	SELECT count(*) FROM keys WHERE user_id = NEW.user_id AND state <> 'revoked' AND id NOT IN (SELECT key_id FROM studio_keys)
) > 20
BEGIN
	SELECT RAISE(ABORT, 'CHECK constraint failed: keys_per_user');
END;

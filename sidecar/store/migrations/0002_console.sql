-- The console's sessions and codes. What a browser holds is a secret; here is
-- its SHA-256 only. Times are UTC milliseconds.

-- via says how the user signed in.
CREATE TABLE sessions (
	hash       TEXT   PRIMARY KEY CHECK (length(hash) = 64),
	user_id    TEXT   NOT NULL REFERENCES users (id),
	via        TEXT   NOT NULL CHECK (via IN ('link', 'oidc', 'caddy')),
	created_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL CHECK (seen_at >= created_at)
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- A code is good for one purpose: signing in once, reading the files of one
-- job (subject) in the preview, or sending one form.
CREATE TABLE session_codes (
	hash       TEXT   PRIMARY KEY CHECK (length(hash) = 64),
	purpose    TEXT   NOT NULL CHECK (purpose IN ('login', 'preview', 'form')),
	user_id    TEXT   NOT NULL REFERENCES users (id),
	subject    TEXT   NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT
);
CREATE INDEX session_codes_by_expiry ON session_codes (expires_at);

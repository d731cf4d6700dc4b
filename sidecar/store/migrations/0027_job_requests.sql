-- The request that a job came by, as its client knows it (X-Request-Id); '' for none.
ALTER TABLE jobs ADD COLUMN request_id TEXT NOT NULL DEFAULT '' CONSTRAINT jobs_request_id_check CHECK (length(request_id) <= 64);

-- Where the end of one job is posted to instead of to its project's webhook, whose secret
-- signs it all the same; '' for there.
ALTER TABLE jobs ADD COLUMN hook_url TEXT NOT NULL DEFAULT '' CONSTRAINT jobs_hook_url_check CHECK (length(hook_url) <= 2048);
ALTER TABLE jobs ADD COLUMN hook_events TEXT NOT NULL DEFAULT ''; -- each between two spaces
ALTER TABLE webhook_deliveries ADD COLUMN url TEXT NOT NULL DEFAULT ''
	CONSTRAINT webhook_deliveries_url_check CHECK (length(url) <= 2048);

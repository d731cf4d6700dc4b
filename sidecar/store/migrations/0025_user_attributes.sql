-- Attributes of users, facts for the policy that admins set: JSON, as those of projects are.
ALTER TABLE users ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}'
	CONSTRAINT users_attributes_check CHECK (length(attributes) BETWEEN 2 AND 65536);

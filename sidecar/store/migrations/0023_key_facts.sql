-- What a key has for the policy, set when it is made: JSON. One without a row has the
-- scope full and no labels.
CREATE TABLE key_facts (
	key_id TEXT NOT NULL CONSTRAINT key_facts_pkey PRIMARY KEY CONSTRAINT key_facts_key_id_fkey REFERENCES keys (id),
	scopes TEXT NOT NULL CONSTRAINT key_facts_scopes_check CHECK (length(scopes) BETWEEN 2 AND 1024),
	labels TEXT NOT NULL CONSTRAINT key_facts_labels_check CHECK (length(labels) BETWEEN 2 AND 16384)
);

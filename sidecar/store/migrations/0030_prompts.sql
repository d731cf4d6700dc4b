-- What a job was asked for: the beginning, as one line, without secrets; '' where it is not
-- known. It goes with its job.
ALTER TABLE jobs ADD COLUMN prompt TEXT NOT NULL DEFAULT '' CONSTRAINT jobs_prompt_check CHECK (length(prompt) <= 501);

-- The same of games that were published: their figures stay longer than their jobs. It goes
-- with its project, also where a sidecar of before deletes that.
CREATE TABLE build_prompts (
	project_id TEXT NOT NULL CONSTRAINT build_prompts_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
	job_id     TEXT NOT NULL,
	prompt     TEXT NOT NULL CONSTRAINT build_prompts_prompt_check CHECK (length(prompt) BETWEEN 1 AND 501),
	CONSTRAINT build_prompts_pkey PRIMARY KEY (project_id, job_id)
);

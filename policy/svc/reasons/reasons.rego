# METADATA
# title: Reasons
# description: >-
#   Every refusal a decision can be: the rule's name, the HTTP status, the
#   sentence the client reads and, where the API documents them, the
#   machine-readable reason and the name of the limit. The other packages
#   refer to these by name, so a misspelt reason does not compile.
package svc.reasons

# METADATA
# title: Revoked key
key_revoked := {
	"rule": "key.revoked",
	"allow": false,
	"status": 401,
	"error": "This API key was revoked.",
	"reason": "revoked",
}

# METADATA
# title: Disabled key
key_disabled := {
	"rule": "key.disabled",
	"allow": false,
	"status": 401,
	"error": "This API key is disabled.",
	"reason": "disabled",
}

# METADATA
# title: Invalid key
key_invalid := {
	"rule": "key.invalid",
	"allow": false,
	"status": 401,
	"error": "This API key is not valid.",
	"reason": "invalid",
}

# METADATA
# title: Suspended user
user_suspended := {
	"rule": "user.suspended",
	"allow": false,
	"status": 403,
	"error": "This user is suspended.",
}

# METADATA
# title: Action outside the key's scopes
key_scope := {
	"rule": "key.scope",
	"allow": false,
	"status": 403,
	"error": "The scopes of this API key do not allow this.",
}

# METADATA
# title: Unknown action
action_unknown := {
	"rule": "action.unknown",
	"allow": false,
	"status": 403,
	"error": "This action is not allowed.",
}

# METADATA
# title: No access to the project
# description: A foreign project and one that does not exist read alike.
project_forbidden := {
	"rule": "project.forbidden",
	"allow": false,
	"status": 403,
	"error": "The user of this API key has no access to this project.",
}

# METADATA
# title: Usage not known
usage_unknown := {
	"rule": "limits.unknown",
	"allow": false,
	"status": 403,
	"error": "The usage of this API key is not known, so no job can be admitted.",
}

# METADATA
# title: Limit of jobs a day
jobs_per_day := {
	"rule": "limits.jobs_per_day",
	"allow": false,
	"status": 429,
	"error": "This API key has used all its jobs of today. The limit resets at 00:00 UTC.",
	"reason": "limit_exceeded",
	"limit": "jobsPerDay",
}

# METADATA
# title: Limit of jobs a month
jobs_per_month := {
	"rule": "limits.jobs_per_month",
	"allow": false,
	"status": 429,
	"error": "This API key has used all its jobs of this month. The limit resets on the 1st at 00:00 UTC.",
	"reason": "limit_exceeded",
	"limit": "jobsPerMonth",
}

# METADATA
# title: Limit of concurrent jobs
max_concurrent_jobs := {
	"rule": "limits.max_concurrent_jobs",
	"allow": false,
	"status": 429,
	"error": "This API key has as many running jobs as it may have. Wait until one of them ends.",
	"reason": "limit_exceeded",
	"limit": "maxConcurrentJobs",
}

# METADATA
# title: Limit of TIK a month
tik_per_month := {
	"rule": "limits.tik_per_month",
	"allow": false,
	"status": 429,
	"error": "This API key has spent all its TIK of this month. The limit resets on the 1st at 00:00 UTC.",
	"reason": "limit_exceeded",
	"limit": "tikPerMonth",
}

# METADATA
# title: Denied
# description: The last resort, when no other reason explains a refusal.
denied := {
	"rule": "denied",
	"allow": false,
	"status": 403,
	"error": "This request is not allowed.",
}

# METADATA
# title: Limits
# description: >-
#   Whether a submission is within the key's limits. A limit of null is
#   unlimited; a usage that equals its limit has used it up. The ledger counts
#   again, in the transaction that admits the job; this check refuses early,
#   before an engine is started.
package svc.limits

import data.svc.reasons

# METADATA
# title: Within all limits
# labels:
#   rule: limits.within
within if {
	known
	exceeded == set()
}

# METADATA
# title: Limits that are used up
# scope: document
# labels:
#   rule: limits.exceeded
exceeded contains "jobsPerDay" if not below(input.usage.jobsToday, input.key.limits.jobsPerDay)

exceeded contains "jobsPerMonth" if not below(input.usage.jobsThisMonth, input.key.limits.jobsPerMonth)

exceeded contains "maxConcurrentJobs" if not below(input.usage.runningJobs, input.key.limits.maxConcurrentJobs)

exceeded contains "tikPerMonth" if not below(input.usage.tikThisMonth, input.key.limits.tikPerMonth)

# METADATA
# title: Usage below a limit
# description: What is neither null nor a number admits nothing.
# scope: document
# labels:
#   rule: limits.below
below(_, limit) if is_null(limit)

below(usage, limit) if {
	is_number(limit)
	usage < limit
}

# METADATA
# title: Usage is known
# labels:
#   rule: limits.known
known if {
	is_number(input.usage.jobsToday)
	is_number(input.usage.jobsThisMonth)
	is_number(input.usage.runningJobs)
	is_number(input.usage.tikThisMonth)
}

# METADATA
# title: What is wrong with the limits
# description: The first of the limits that is used up, unless the usage is not even known.
# labels:
#   rule: limits.problem
problem := reasons.usage_unknown if {
	not known
} else := reasons.jobs_per_day if {
	"jobsPerDay" in exceeded
} else := reasons.jobs_per_month if {
	"jobsPerMonth" in exceeded
} else := reasons.max_concurrent_jobs if {
	"maxConcurrentJobs" in exceeded
} else := reasons.tik_per_month if {
	"tikPerMonth" in exceeded
}

# METADATA
# title: Effective limits
# description: The limits the job is admitted with. They may narrow the key's own, never widen them.
# scope: document
# labels:
#   rule: limits.effective
default effective := {
	"jobsPerDay": null,
	"jobsPerMonth": null,
	"maxConcurrentJobs": null,
	"tikPerMonth": null,
}

effective := input.key.limits if is_object(input.key.limits)

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
# title: State of the limits
# labels:
#   rule: limits.within
state := "within" if {
	jobs_per_day == "below"
	jobs_per_month == "below"
	max_concurrent_jobs == "below"
	tik_per_month == "below"
}

# METADATA
# title: Jobs a day
# scope: document
# labels:
#   rule: limits.jobs_per_day
jobs_per_day := "below" if {
	input.key.limits.jobsPerDay == null
	is_number(input.usage.jobsToday)
}

jobs_per_day := "below" if {
	is_number(input.key.limits.jobsPerDay)
	is_number(input.usage.jobsToday)
	input.usage.jobsToday < input.key.limits.jobsPerDay
}

# METADATA
# title: Jobs a month
# scope: document
# labels:
#   rule: limits.jobs_per_month
jobs_per_month := "below" if {
	input.key.limits.jobsPerMonth == null
	is_number(input.usage.jobsThisMonth)
}

jobs_per_month := "below" if {
	is_number(input.key.limits.jobsPerMonth)
	is_number(input.usage.jobsThisMonth)
	input.usage.jobsThisMonth < input.key.limits.jobsPerMonth
}

# METADATA
# title: Jobs at the same time
# scope: document
# labels:
#   rule: limits.max_concurrent_jobs
max_concurrent_jobs := "below" if {
	input.key.limits.maxConcurrentJobs == null
	is_number(input.usage.runningJobs)
}

max_concurrent_jobs := "below" if {
	is_number(input.key.limits.maxConcurrentJobs)
	is_number(input.usage.runningJobs)
	input.usage.runningJobs < input.key.limits.maxConcurrentJobs
}

# METADATA
# title: TIK a month
# scope: document
# labels:
#   rule: limits.tik_per_month
tik_per_month := "below" if {
	input.key.limits.tikPerMonth == null
	is_number(input.usage.tikThisMonth)
}

tik_per_month := "below" if {
	is_number(input.key.limits.tikPerMonth)
	is_number(input.usage.tikThisMonth)
	input.usage.tikThisMonth < input.key.limits.tikPerMonth
}

# METADATA
# title: What is wrong with the limits
# description: The first of the limits that is reached, unless the usage is not even known.
# labels:
#   rule: limits.problem
problem := reasons.usage_unknown if {
	not known
} else := reasons.jobs_per_day if {
	not jobs_per_day
} else := reasons.jobs_per_month if {
	not jobs_per_month
} else := reasons.max_concurrent_jobs if {
	not max_concurrent_jobs
} else := reasons.tik_per_month if {
	not tik_per_month
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

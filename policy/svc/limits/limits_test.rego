package svc.limits_test

import data.svc.limits
import data.svc.reasons

unlimited := {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}

unused := {"jobsToday": 0, "jobsThisMonth": 0, "runningJobs": 0, "tikThisMonth": 0}

# What each limit counts, and the answer when it is reached.
checks := {
	"jobsPerDay": {"usage": "jobsToday", "reason": reasons.jobs_per_day},
	"jobsPerMonth": {"usage": "jobsThisMonth", "reason": reasons.jobs_per_month},
	"maxConcurrentJobs": {"usage": "runningJobs", "reason": reasons.max_concurrent_jobs},
	"tikPerMonth": {"usage": "tikThisMonth", "reason": reasons.tik_per_month},
}

facts(limit, maximum, usage, used) := {
	"key": {"limits": object.union(unlimited, {limit: maximum})},
	"usage": object.union(unused, {usage: used}),
}

test_null_is_unlimited[limit] if {
	some limit, check in checks
	f := facts(limit, null, check.usage, 1000000000)
	limits.within with input as f
	not limits.problem with input as f
}

test_one_below_the_limit_is_within[limit] if {
	some limit, check in checks
	f := facts(limit, 5, check.usage, 4)
	limits.within with input as f
	not limits.problem with input as f
}

test_the_limit_itself_is_over[limit] if {
	some limit, check in checks
	f := facts(limit, 5, check.usage, 5)
	not limits.within with input as f
	limits.problem == check.reason with input as f
}

test_zero_admits_nothing[limit] if {
	some limit, check in checks
	f := facts(limit, 0, check.usage, 0)
	not limits.within with input as f
	limits.problem == check.reason with input as f
}

test_amounts_of_tik_are_compared_to_the_last_place if {
	limits.within with input as facts("tikPerMonth", 0.000002, "tikThisMonth", 0.000001)
	not limits.within with input as facts("tikPerMonth", 0.000002, "tikThisMonth", 0.000002)
	limits.within with input as facts("tikPerMonth", 9000000000.000002, "tikThisMonth", 9000000000.000001)
}

test_limit_that_is_no_number_is_over[limit] if {
	some limit, check in checks
	f := facts(limit, "5", check.usage, 4)
	not limits.within with input as f
	limits.problem == check.reason with input as f
}

test_usage_that_is_no_number_is_not_known[limit] if {
	some limit, check in checks
	every maximum in [null, 5] {
		every used in ["0", null, true, [0]] {
			f := facts(limit, maximum, check.usage, used)
			not limits.within with input as f
			limits.problem == reasons.usage_unknown with input as f
		}
	}
}

test_absent_usage_is_not_known if {
	not limits.within with input as {"key": {"limits": unlimited}, "usage": null}
	limits.problem == reasons.usage_unknown with input as {"key": {"limits": unlimited}, "usage": null}
}

test_effective_limits_are_those_of_the_key if {
	l := object.union(unlimited, {"jobsPerDay": 5})
	limits.effective == l with input.key.limits as l
}

test_key_without_limits_has_null_limits if {
	limits.effective == unlimited with input.key as null
	limits.effective == unlimited with input.key.limits as "none"
}

test_of_several_limits_the_first_is_named[limit] if {
	order := ["jobsPerDay", "jobsPerMonth", "maxConcurrentJobs", "tikPerMonth"]
	some i, limit in order
	reached := {l: 0 | some l in array.slice(order, i, count(order))}
	f := {"key": {"limits": object.union(unlimited, reached)}, "usage": unused}
	limits.problem == checks[limit].reason with input as f
}

test_unknown_usage_outranks_limits if {
	f := {"key": {"limits": object.union(unlimited, {"jobsPerDay": 0})}, "usage": null}
	limits.problem == reasons.usage_unknown with input as f
}

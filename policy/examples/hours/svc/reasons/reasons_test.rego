package svc.reasons_test

import data.svc.reasons

# The names under which refusals are logged, and their statuses.
test_names_and_statuses if {
	{reason.rule: reason.status | some reason in reasons} == {
		"key.revoked": 401,
		"key.disabled": 401,
		"key.invalid": 401,
		"user.suspended": 403,
		"key.scope": 403,
		"action.unknown": 403,
		"project.forbidden": 403,
		"project.closed": 403,
		"limits.unknown": 403,
		"limits.jobs_per_day": 429,
		"limits.jobs_per_month": 429,
		"limits.max_concurrent_jobs": 429,
		"limits.tik_per_month": 429,
		"denied": 403,
	}
}

# What clients look at besides the status.
test_reasons_and_limits if {
	{reason.rule: [reason.reason, object.get(reason, "limit", "")] | some reason in reasons} == {
		"key.revoked": ["revoked", ""],
		"key.disabled": ["disabled", ""],
		"key.invalid": ["invalid", ""],
		"limits.jobs_per_day": ["limit_exceeded", "jobsPerDay"],
		"limits.jobs_per_month": ["limit_exceeded", "jobsPerMonth"],
		"limits.max_concurrent_jobs": ["limit_exceeded", "maxConcurrentJobs"],
		"limits.tik_per_month": ["limit_exceeded", "tikPerMonth"],
	}
}

test_no_reason_allows if {
	every reason in reasons {
		reason.allow == false
	}
}

test_messages_are_sentences if {
	every reason in reasons {
		regex.match(`^[A-Z].*\.$`, reason.error)
	}
}

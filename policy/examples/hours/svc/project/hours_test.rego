package svc.project_test

import data.svc.project

submission(hours, time) := {
	"action": "generate",
	"key": {"id": "key_1", "userId": "user-1", "state": "active"},
	"project": {"id": "p1", "ownerId": "user-1", "attributes": null, "adminAttributes": {"hours": hours}},
	"request": {"time": time},
}

# The last second before and the first after each end of the hours.
test_open_within_the_hours[time] if {
	some time in {"2026-11-25T06:00:00Z", "2026-11-25T12:34:56Z", "2026-11-25T21:59:59Z"}
	project.role == "owner" with input as submission("06:00-22:00", time)
	not project.problem with input as submission("06:00-22:00", time)
}

test_closed_outside_of_the_hours[time] if {
	some time in {"2026-11-25T05:59:59Z", "2026-11-25T22:00:00Z", "2026-11-26T00:00:00Z"}
	project.problem.rule == "project.closed" with input as submission("06:00-22:00", time)
	not project.role with input as submission("06:00-22:00", time)
}

test_hours_over_midnight if {
	project.role == "owner" with input as submission("22:00-06:00", "2026-11-25T22:00:00Z")
	project.role == "owner" with input as submission("22:00-06:00", "2026-11-25T05:59:59Z")
	project.problem.rule == "project.closed" with input as submission("22:00-06:00", "2026-11-25T06:00:00Z")
	project.problem.rule == "project.closed" with input as submission("22:00-06:00", "2026-11-25T21:59:59Z")
}

test_all_day_and_never if {
	project.role == "owner" with input as submission("00:00-24:00", "2026-11-25T23:59:59Z")
	project.problem.rule == "project.closed" with input as submission("00:00-00:00", "2026-11-25T00:00:00Z")
	project.problem.rule == "project.closed" with input as submission("12:00-12:00", "2026-11-25T06:00:00Z")
	project.problem.rule == "project.closed" with input as submission("12:00-12:00", "2026-11-25T12:00:00Z")
}

test_hours_of_another_form_are_never[hours] if {
	some hours in {"", "06-22", "6:00-22:00", "06:00-22:00 ", "06:00-25:00", "06:60-22:00", "00:00-24:00-", "yes"}
	project.problem.rule == "project.closed" with input as submission(hours, "2026-11-25T12:00:00Z")
}

test_closed_where_the_time_is_not_known if {
	project.problem.rule == "project.closed" with input as object.remove(submission("00:00-24:00", ""), ["request"])
}

test_hours_are_an_admins if {
	project.role == "owner" with input as object.union(
		object.remove(submission("00:00-00:00", "2026-11-25T12:00:00Z"), ["project"]),
		{"project": {"ownerId": "user-1", "attributes": {"hours": "00:00-00:00"}}},
	)
}

test_everything_else_goes_on[action] if {
	some action in {"status", "files", "cancel", "projects.delete"}
	project.role == "owner" with input as object.union(
		submission("00:00-00:00", "2026-11-25T12:00:00Z"),
		{"action": action},
	)
}

test_the_hours_of_others_are_not_said if {
	project.problem.rule == "project.forbidden" with input as object.union(
		submission("00:00-00:00", "2026-11-25T12:00:00Z"),
		{"key": {"id": "key_2", "userId": "user-2", "state": "active"}},
	)
}

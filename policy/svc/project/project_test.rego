package svc.project_test

import data.svc.project
import data.svc.reasons

# Pairs of user and owner that must not count as the same person.
strangers := {
	"another user": {"user": "user-1", "owner": "user-2"},
	"user in capitals": {"user": "user-1", "owner": "USER-1"},
	"both empty": {"user": "", "owner": ""},
	"both null": {"user": null, "owner": null},
	"both numbers": {"user": 7, "owner": 7},
	"both lists": {"user": ["user-1"], "owner": ["user-1"]},
	"no owner": {"user": "user-1", "owner": null},
	"no user": {"user": null, "owner": "user-1"},
}

key(state, user) := {"id": "key_1", "userId": user, "state": state}

test_owner_may_use_the_project if {
	facts := {"key": key("active", "user-1"), "project": {"ownerId": "user-1"}}
	project.role == "owner" with input as facts
	not project.problem with input as facts
}

test_stranger_may_not_use_the_project[name] if {
	some name, pair in strangers
	facts := {"key": key("active", pair.user), "project": {"ownerId": pair.owner}}
	not project.role with input as facts
	project.problem == reasons.project_forbidden with input as facts
}

test_absent_project_reads_like_a_foreign_one if {
	facts := {"key": key("active", "user-1"), "project": null}
	project.problem == reasons.project_forbidden with input as facts
}

test_dead_key_has_no_role if {
	facts := {"key": key("revoked", "user-1"), "project": {"ownerId": "user-1"}}
	not project.role with input as facts
}

test_owner_may_use_the_project_in_the_console if {
	facts := {"key": null, "user": {"id": "user-1", "via": "console"}, "project": {"ownerId": "user-1"}}
	project.console_role == "owner" with input as facts
}

test_stranger_may_not_use_the_project_in_the_console[name] if {
	some name, pair in strangers
	facts := {"key": null, "user": {"id": pair.user, "via": "console"}, "project": {"ownerId": pair.owner}}
	not project.console_role with input as facts
}

test_admin_has_no_role if {
	facts := {"key": null, "user": {"id": "user-1", "via": "admin"}, "project": {"ownerId": "user-1"}}
	not project.console_role with input as facts
}

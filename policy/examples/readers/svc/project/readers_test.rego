package svc.project_test

import data.svc.project
import data.svc.reasons

# Values of the attribute "readers" that do not name user-1.
not_named := {
	"empty": "",
	"others": "user-2, user-3",
	"part of a name": "user-10",
	"name in capitals": "USER-1",
	"other separator": "user-1;user-2",
	"list": ["user-1"],
	"null": null,
}

test_named_user_is_a_reader[readers] if {
	some readers in ["user-1", "user-2,user-1", "user-2, user-1 ,user-3"]
	facts := {"key": key("active", "user-1"), "project": {"ownerId": "user-2", "attributes": {"readers": readers}}}
	project.role == "reader" with input as facts
	project.problem == reasons.project_read_only with input as facts
}

test_user_who_is_not_named_has_no_role[name] if {
	some name, readers in not_named
	facts := {"key": key("active", "user-1"), "project": {"ownerId": "user-2", "attributes": {"readers": readers}}}
	not project.role with input as facts
	project.problem == reasons.project_forbidden with input as facts
}

test_owner_who_is_named_stays_the_owner if {
	facts := {"key": key("active", "user-1"), "project": {"ownerId": "user-1", "attributes": {"readers": "user-1"}}}
	project.role == "owner" with input as facts
}

test_dead_key_is_no_reader if {
	facts := {"key": key("revoked", "user-1"), "project": {"ownerId": "user-2", "attributes": {"readers": "user-1"}}}
	not project.role with input as facts
}

test_owner_who_is_named_stays_the_owner_in_the_console if {
	facts := {
		"key": null,
		"user": {"id": "user-1", "via": "console"},
		"project": {"ownerId": "user-1", "attributes": {"readers": "user-1"}},
	}
	project.console_role == "owner" with input as facts
	not project.problem with input as facts
}

test_admin_who_is_named_is_no_reader if {
	facts := {
		"key": null,
		"user": {"id": "user-1", "via": "admin"},
		"project": {"ownerId": "user-2", "attributes": {"readers": "user-1"}},
	}
	not project.console_role with input as facts
}

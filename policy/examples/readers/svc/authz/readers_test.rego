package svc.authz_test

import data.svc.authz

read_actions := {"projects.get", "analytics.read", "status", "events", "files"}

read_only := {"ownerId": "user-2", "attributes": {"readers": "user-1"}}

test_reader_may_read[action] if {
	some action in read_actions
	authz.decision == allowed with input as object.union(base, {"action": action, "project": read_only})
}

test_reader_may_do_nothing_else[action] if {
	some action in {"projects.delete", "projects.publish", "projects.unpublish", "cancel", "generate"}
	authz.decision.rule == "project.read_only" with input as object.union(base, {
		"action": action,
		"project": read_only,
	})
}

test_reader_may_read_in_the_console[action] if {
	some action in {"projects.get", "status", "events", "files", "preview"}
	authz.decision == allowed with input as object.union(at_console, {"action": action, "project": read_only})
}

test_reader_may_change_nothing_in_the_console[action] if {
	some action in {"projects.attributes", "webhooks.read", "webhooks.write"}
	authz.decision.rule == "project.read_only" with input as object.union(at_console, {
		"action": action,
		"project": read_only,
	})
}

test_readers_of_another_project_do_not_read_in_the_console[action] if {
	some action in {"projects.get", "files", "preview"}
	authz.decision.rule == "project.forbidden" with input as object.union(at_console, {
		"action": action,
		"project": {"ownerId": "user-2", "attributes": {"readers": "user-10,user-3"}},
	})
}

package svc.authz_test

import data.svc.authz
import data.svc.reasons

unlimited := {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}

base := {
	"action": "generate",
	"key": {"id": "key_1", "userId": "user-1", "state": "active", "limits": unlimited},
	"project": {"id": "p1", "ownerId": "user-1", "attributes": {}},
	"usage": {"jobsToday": 0, "jobsThisMonth": 0, "runningJobs": 0, "tikThisMonth": 0},
}

allowed := {"allow": true, "status": 200, "error": "", "limits": unlimited, "rule": "allowed"}

key_actions := {"authenticate", "projects.create", "projects.list", "models.list", "jobs.list"}

project_actions := {
	"projects.get",
	"projects.delete",
	"projects.jobs",
	"projects.publish",
	"projects.unpublish",
	"analytics.read",
	"webhooks.read",
	"webhooks.write",
	"status",
	"events",
	"events.token",
	"files",
	"cancel",
	"studio.read",
	"studio.write",
}

actions := (key_actions | project_actions) | {"generate"}

# What a user may do in the console.
account_actions := {"console.read", "keys.read", "keys.create", "keys.change", "projects.list"}

own_actions := {
	"projects.get",
	"projects.attributes",
	"projects.publish",
	"projects.unpublish",
	"analytics.read",
	"webhooks.read",
	"webhooks.write",
	"status",
	"events",
	"files",
	"preview",
}

admin_actions := {"admin.read", "admin.write"}

others_actions := {"keys.others.read", "keys.others.change"}

keyless_actions := ((account_actions | own_actions) | admin_actions) | others_actions

at_console := {
	"action": "console.read",
	"key": null,
	"project": {"id": "p1", "ownerId": "user-1", "attributes": {}},
	"usage": null,
	"user": {"id": "user-1", "via": "console"},
}

test_these_are_all_actions if authz.actions == actions | keyless_actions

test_owner_of_a_live_key_may_do_everything[action] if {
	some action in actions
	authz.decision == allowed with input as object.union(base, {"action": action})
}

test_key_alone_is_enough[action] if {
	some action in key_actions
	authz.decision == allowed with input as object.union(base, {"action": action, "project": null, "usage": null})
}

test_usage_does_not_matter_to_reads[action] if {
	some action in project_actions
	authz.decision == allowed with input as object.union(base, {"action": action, "usage": null})
}

test_foreign_project_is_forbidden[action] if {
	some action in (project_actions | {"generate"})
	authz.decision.rule == "project.forbidden" with input as object.union(base, {
		"action": action,
		"project": {"ownerId": "user-2"},
	})
}

test_dead_key_may_do_nothing[action] if {
	some action in actions
	authz.decision.status == 401 with input as object.union(base, {"action": action, "key": {"state": "disabled"}})
	authz.decision.reason == "disabled" with input as object.union(base, {"action": action, "key": {"state": "disabled"}})
	authz.decision.reason == "revoked" with input as object.union(base, {"action": action, "key": {"state": "revoked"}})
	authz.decision.reason == "invalid" with input as object.union(base, {"action": action, "key": {"state": "?"}})
}

test_read_only_key_may_change_nothing[action] if {
	some action in {
		"projects.create",
		"projects.delete",
		"projects.publish",
		"webhooks.write",
		"studio.write",
		"cancel",
		"generate",
	}
	facts := object.union(base, {"action": action, "key": {"scopes": ["read"]}})
	authz.decision.rule == "key.scope" with input as facts
}

test_read_only_key_may_read[action] if {
	some action in {
		"authenticate",
		"projects.get",
		"status",
		"events",
		"events.token",
		"files",
		"webhooks.read",
		"studio.read",
	}
	authz.decision == allowed with input as object.union(base, {"action": action, "key": {"scopes": ["read"]}})
}

test_submissions_are_limited if {
	authz.decision.status == 429 with input as object.union(base, {"key": {"limits": {"jobsPerDay": 0}}})
}

test_nothing_but_submissions_is_limited[action] if {
	some action in (key_actions | project_actions)
	facts := object.union(base, {"action": action, "key": {"limits": {"jobsPerDay": 0}}})
	authz.decision.allow with input as facts
}

test_usage_must_be_known_to_submit if {
	authz.decision.rule == "limits.unknown" with input as object.union(base, {"usage": null})
}

test_first_limit_of_several_is_named if {
	authz.decision.limit == "jobsPerDay" with input as object.union(base, {"key": {"limits": {
		"jobsPerDay": 0,
		"jobsPerMonth": 0,
		"maxConcurrentJobs": 0,
		"tikPerMonth": 0,
	}}})
}

test_unknown_action_is_denied[name] if {
	some name, action in {"other": "teleport", "empty": "", "null": null, "list": ["status"], "capitals": "STATUS"}
	authz.decision.rule == "action.unknown" with input as object.union(base, {"action": action})
}

test_dead_key_outranks_everything_else if {
	authz.decision.status == 401 with input as {
		"action": "teleport",
		"key": {"id": "key_1", "userId": "user-1", "state": "revoked", "limits": unlimited},
		"project": null,
		"usage": null,
	}
}

test_unknown_action_outranks_foreign_project if {
	authz.decision.rule == "action.unknown" with input as object.union(base, {
		"action": "teleport",
		"project": {"ownerId": "user-2"},
	})
}

test_foreign_project_outranks_limits if {
	authz.decision.status == 403 with input as object.union(base, {
		"project": {"ownerId": "user-2"},
		"key": {"limits": {"jobsPerDay": 0}},
	})
}

test_every_input_has_a_decision[name] if {
	some name, facts in {"null": null, "empty": {}, "text": "x", "list": [1], "nothing but nulls": {
		"action": null,
		"key": null,
		"project": null,
		"usage": null,
	}}
	authz.decision.rule == "key.invalid" with input as facts
}

test_refusal_without_a_reason_is_still_a_refusal if {
	expected := object.union(reasons.denied, {"limits": unlimited})
	authz.decision == expected with input as base
		with data.svc.authz.allow as false
}

test_action_without_limits_is_not_refused_for_them[action] if {
	some action in (key_actions | project_actions)
	expected := object.union(reasons.denied, {"limits": unlimited})
	authz.decision == expected with input as object.union(base, {"action": action, "usage": null})
		with data.svc.authz.allow as false
}

test_limits_of_the_key_are_in_the_decision if {
	limits := object.union(unlimited, {"tikPerMonth": 2.5})
	authz.decision.limits == limits with input as object.union(base, {"key": {"limits": limits}})
}

test_user_may_use_the_console[action] if {
	some action in account_actions
	authz.decision == allowed with input as object.union(at_console, {"action": action, "project": null})
}

test_user_may_use_own_projects_in_the_console[action] if {
	some action in own_actions
	authz.decision == allowed with input as object.union(at_console, {"action": action})
}

test_foreign_project_is_forbidden_in_the_console[name] if {
	some action in own_actions
	some name, project in {"foreign": {"id": "p1", "ownerId": "user-2", "attributes": {}}, "absent": null}
	authz.decision.rule == "project.forbidden" with input as object.union(at_console, {
		"action": action,
		"project": project,
	})
}

test_user_may_do_nothing_else_in_the_console[action] if {
	some action in ((actions | keyless_actions) - ((account_actions | own_actions) | {"generate"}))
	authz.decision.rule == "denied" with input as object.union(at_console, {"action": action})
}

test_user_may_not_submit_in_the_console if {
	authz.decision.status == 403 with input as object.union(at_console, {"action": "generate"})
}

test_admin_may_do_what_admins_do[action] if {
	some action in admin_actions
	facts := object.union(at_console, {"action": action, "project": null, "user": {"id": "uid:0", "via": "admin"}})
	authz.decision == allowed with input as facts
}

test_admin_may_do_nothing_else[action] if {
	some action in ((actions | keyless_actions) - admin_actions)
	facts := object.union(at_console, {"action": action, "user": {"via": "admin"}})
	authz.decision.status == 403 with input as facts
}

test_nobody_gets_at_the_keys_of_others[action] if {
	some action in others_actions
	some via in {"console", "admin"}
	authz.decision.rule == "denied" with input as object.union(at_console, {
		"action": action,
		"project": null,
		"user": {"via": via},
		"target": {"userId": "user-2", "keyId": "key_2"},
	})
}

test_key_may_not_do_what_is_done_without_one[action] if {
	some action in (keyless_actions - (key_actions | project_actions))
	authz.decision.rule == "denied" with input as object.union(base, {"action": action})
}

test_key_and_user_together_are_the_key[action] if {
	some action in (keyless_actions - (key_actions | project_actions))
	authz.decision.rule == "denied" with input as object.union(base, {
		"action": action,
		"user": {"id": "user-1", "via": "console"},
	})
}

test_user_whose_way_is_not_known_may_do_nothing[action] if {
	some action in (actions | keyless_actions)
	authz.decision.rule == "key.invalid" with input as object.union(at_console, {
		"action": action,
		"user": {"via": "telephone"},
	})
}

test_action_on_no_project_is_not_refused_for_one[action] if {
	some action in key_actions
	expected := object.union(reasons.denied, {"limits": unlimited})
	authz.decision == expected with input as object.union(base, {"action": action, "project": null})
		with data.svc.authz.allow as false
}

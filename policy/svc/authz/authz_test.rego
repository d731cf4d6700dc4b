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

key_actions := {"authenticate", "projects.create", "projects.list", "models.list"}

project_actions := {
	"projects.get",
	"projects.delete",
	"projects.publish",
	"projects.unpublish",
	"analytics.read",
	"status",
	"events",
	"files",
	"cancel",
}

actions := (key_actions | project_actions) | {"generate"}

test_these_are_all_actions if authz.actions == actions

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

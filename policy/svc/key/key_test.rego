package svc.key_test

import data.svc.key
import data.svc.reasons

# Every key whose answer is not "active".
dead := {
	"no key": null,
	"a key that is text": "key_1",
	"no members": {},
	"no id": {"userId": "user-1", "state": "active"},
	"id of null": {"id": null, "userId": "user-1", "state": "active"},
	"empty id": {"id": "", "userId": "user-1", "state": "active"},
	"id that is a number": {"id": 7, "userId": "user-1", "state": "active"},
	"no user": {"id": "key_1", "state": "active"},
	"user of null": {"id": "key_1", "userId": null, "state": "active"},
	"empty user": {"id": "key_1", "userId": "", "state": "active"},
	"user that is a list": {"id": "key_1", "userId": ["user-1"], "state": "active"},
	"no state": {"id": "key_1", "userId": "user-1"},
	"empty state": {"id": "key_1", "userId": "user-1", "state": ""},
	"state in capitals": {"id": "key_1", "userId": "user-1", "state": "ACTIVE"},
	"state not known here": {"id": "key_1", "userId": "user-1", "state": "suspended"},
	"state that is true": {"id": "key_1", "userId": "user-1", "state": true},
}

test_active_key_has_no_problem if {
	k := {"id": "key_1", "userId": "user-1", "state": "active"}
	key.active with input.key as k
	not key.problem with input.key as k
}

test_whatever_is_not_active_is_invalid[name] if {
	some name, k in dead
	not key.active with input.key as k
	key.problem == reasons.key_invalid with input.key as k
}

test_disabled_key_says_so if {
	k := {"id": "key_1", "userId": "user-1", "state": "disabled"}
	not key.active with input.key as k
	key.problem == reasons.key_disabled with input.key as k
}

test_revoked_key_says_so if {
	k := {"id": "key_1", "userId": "user-1", "state": "revoked"}
	not key.active with input.key as k
	key.problem == reasons.key_revoked with input.key as k
}

test_key_of_a_suspended_user_says_so if {
	k := {"id": "key_1", "userId": "user-1", "state": "active", "userState": "suspended"}
	not key.active with input.key as k
	key.problem == reasons.user_suspended with input.key as k
}

test_what_is_wrong_with_the_key_outranks_its_user[state] if {
	some state, reason in {"revoked": reasons.key_revoked, "disabled": reasons.key_disabled}
	k := {"id": "key_1", "userId": "user-1", "state": state, "userState": "suspended"}
	key.problem == reason with input.key as k
}

test_key_of_an_active_user_is_active if {
	k := {"id": "key_1", "userId": "user-1", "state": "active", "userState": "active"}
	key.active with input.key as k
	not key.problem with input.key as k
}

key_for(scopes) := {"id": "key_1", "userId": "user-1", "state": "active", "scopes": scopes}

all_actions := reading | {
	"projects.create",
	"projects.delete",
	"projects.publish",
	"projects.unpublish",
	"webhooks.write",
	"studio.write",
	"cancel",
	"generate",
	"teleport",
}

reading := {
	"authenticate",
	"projects.list",
	"projects.get",
	"projects.jobs",
	"models.list",
	"jobs.list",
	"analytics.read",
	"webhooks.read",
	"studio.read",
	"status",
	"events",
	"events.token",
	"files",
}

test_full_key_may_do_everything[action] if {
	some action in all_actions
	every scopes in [["full"], ["read", "full"]] {
		key.active with input as {"action": action, "key": key_for(scopes)}
		not key.problem with input as {"action": action, "key": key_for(scopes)}
	}
}

test_read_only_key_may_read_and_nothing_else[action] if {
	some action in all_actions
	facts := {"action": action, "key": key_for(["read"])}
	outcome := {reason | reason := key.problem with input as facts}
	expected := {reasons.key_scope | not action in reading}
	outcome == expected
	is_active := {true | key.active with input as facts}
	is_active == {true | action in reading}
}

test_other_scopes_allow_nothing[name] if {
	some name, scopes in {
		"none": [],
		"null": null,
		"false": false,
		"text": "full",
		"capitals": ["FULL"],
		"longer": ["full "],
		"of one's own": ["deploy"],
	}
	facts := {"action": "status", "key": key_for(scopes)}
	not key.active with input as facts
	key.problem == reasons.key_scope with input as facts
}

test_suspended_user_outranks_scopes if {
	facts := {"action": "cancel", "key": object.union(key_for(["read"]), {"userState": "suspended"})}
	key.problem == reasons.user_suspended with input as facts
}

test_input_without_key_is_invalid if key.problem == reasons.key_invalid with input as {}

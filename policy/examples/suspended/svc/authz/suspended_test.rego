package svc.authz_test

import data.svc.authz

leaving := {"authenticate", "projects.list", "projects.get", "projects.jobs", "status", "files"}

test_suspended_user_may_take_games_along[action] if {
	some action in leaving
	authz.decision == allowed with input as object.union(base, {"action": action, "key": {"userState": "suspended"}})
}

test_suspended_user_may_do_nothing_else[action] if {
	some action in ((actions | keyless_actions) - leaving)
	with_key := object.union(base, {"action": action, "key": {"userState": "suspended"}})
	authz.decision.rule == "user.suspended" with input as with_key
}

test_suspended_user_may_do_nothing_without_a_key[action] if {
	some action in (actions | keyless_actions)
	without_key := object.union(at_console, {"action": action, "user": {"state": "suspended"}})
	authz.decision.rule == "user.suspended" with input as without_key
}

test_active_user_may_do_everything[action] if {
	some action in actions
	authz.decision == allowed with input as object.union(base, {"action": action, "key": {"userState": "active"}})
}

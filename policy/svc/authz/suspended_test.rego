package svc.authz_test

import data.svc.authz

test_suspended_user_may_do_nothing[action] if {
	some action in (actions | keyless_actions)
	with_key := object.union(base, {"action": action, "key": {"userState": "suspended"}})
	without_key := object.union(at_console, {"action": action, "user": {"state": "suspended"}})
	authz.decision.rule == "user.suspended" with input as with_key
	authz.decision.rule == "user.suspended" with input as without_key
}

test_active_user_may_do_everything[action] if {
	some action in actions
	authz.decision == allowed with input as object.union(base, {"action": action, "key": {"userState": "active"}})
}

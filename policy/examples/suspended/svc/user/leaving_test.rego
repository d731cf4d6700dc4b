package svc.user_test

import data.svc.user

suspended_key := {"id": "key_1", "userId": "user-1", "state": "active", "userState": "suspended"}

test_suspended_user_may_take_games_along[action] if {
	some action in {"authenticate", "projects.list", "projects.get", "projects.jobs", "status", "files"}
	not user.suspended with input as {"action": action, "key": suspended_key}
}

test_suspended_user_may_do_nothing_else[action] if {
	some action in {"generate", "projects.create", "projects.delete", "events", "cancel", "teleport"}
	user.suspended with input as {"action": action, "key": suspended_key}
}

test_state_that_is_not_known_takes_nothing_along[name] if {
	some name, state in object.remove(not_active, ["suspended"])
	user.suspended with input as {"action": "files", "key": object.union(suspended_key, {"userState": state})}
}

test_suspended_user_takes_nothing_along_in_the_console if {
	user.suspended with input as {
		"action": "files",
		"key": null,
		"user": {"id": "user-1", "via": "console", "state": "suspended"},
	}
}

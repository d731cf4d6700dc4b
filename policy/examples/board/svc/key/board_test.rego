package svc.key_test

import data.svc.key

board_key := {
	"id": "key_1",
	"userId": "user-1",
	"state": "active",
	"scopes": ["board"],
}

test_board_shows_how_jobs_go[action] if {
	some action in {"authenticate", "projects.list", "projects.get", "projects.jobs", "status", "events"}
	key.active with input as {"action": action, "key": board_key}
}

test_board_does_nothing_else[action] if {
	some action in {"files", "generate", "cancel", "projects.delete", "jobs.list", "events.token", "teleport"}
	key.out_of_scope with input as {"action": action, "key": board_key}
	not key.active with input as {"action": action, "key": board_key}
}

test_scope_is_the_whole_word[scope] if {
	some scope in {"boar", "boards", "Board", " board", ""}
	key.out_of_scope with input as {"action": "status", "key": object.union(board_key, {"scopes": [scope]})}
}

package svc.user_test

import data.svc.user

# Every user whose way is not known.
unknown := {
	"no user": null,
	"a user that is text": "user-1",
	"no members": {},
	"no id": {"via": "console"},
	"id of null": {"id": null, "via": "console"},
	"empty id": {"id": "", "via": "console"},
	"id that is a number": {"id": 7, "via": "console"},
	"no way": {"id": "user-1"},
	"empty way": {"id": "user-1", "via": ""},
	"way of null": {"id": "user-1", "via": null},
	"way in capitals": {"id": "user-1", "via": "CONSOLE"},
	"way not known here": {"id": "user-1", "via": "telephone"},
}

# Every state that is there and not active.
not_active := {
	"suspended": "suspended",
	"empty": "",
	"null": null,
	"true": true,
	"capitals": "ACTIVE",
	"longer": "active ",
}

test_known_ways[way] if {
	some way in {"console", "admin"}
	user.via == way with input as {"key": null, "user": {"id": "user-1", "via": way}}
}

test_whatever_else_has_no_way[name] if {
	some name, who in unknown
	not user.via with input as {"key": null, "user": who}
}

test_suspended_user_has_no_way[name] if {
	some name, state in not_active
	user.suspended with input as {"key": null, "user": {"id": "user-1", "via": "console", "state": state}}
	not user.via with input as {"key": null, "user": {"id": "user-1", "via": "console", "state": state}}
	user.suspended with input as {"key": {"id": "key_1", "userId": "user-1", "state": "active", "userState": state}}
}

test_active_user_is_not_suspended if {
	user.via == "console" with input as {"key": null, "user": {"id": "user-1", "via": "console", "state": "active"}}
	not user.suspended with input as {"key": {"id": "key_1", "userId": "user-1", "userState": "active"}}
	not user.suspended with input as {"key": {"id": "key_1", "userId": "user-1"}}
}

test_request_with_a_key_has_no_user[name] if {
	some name, key in {"a key": {"id": "key_1", "userId": "user-1", "state": "active"}, "text": "", "no members": {}}
	not user.via with input as {"key": key, "user": {"id": "user-1", "via": "console"}}
}

test_request_that_does_not_say_it_has_no_key_has_no_user if {
	not user.via with input as {"user": {"id": "user-1", "via": "console"}}
}

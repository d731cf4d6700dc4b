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

test_known_ways[way] if {
	some way in {"console", "admin"}
	user.via == way with input as {"key": null, "user": {"id": "user-1", "via": way}}
}

test_whatever_else_has_no_way[name] if {
	some name, who in unknown
	not user.via with input as {"key": null, "user": who}
}

test_request_with_a_key_has_no_user[name] if {
	some name, key in {"a key": {"id": "key_1", "userId": "user-1", "state": "active"}, "text": "", "no members": {}}
	not user.via with input as {"key": key, "user": {"id": "user-1", "via": "console"}}
}

test_request_that_does_not_say_it_has_no_key_has_no_user if {
	not user.via with input as {"user": {"id": "user-1", "via": "console"}}
}

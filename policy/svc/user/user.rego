# METADATA
# title: User without a key
# description: Whether a request comes from a user, or an admin, and with no API key.
package svc.user

# METADATA
# title: Way of a user without a key
# description: >-
#   "console" for a user who is signed in there, "admin" for a user of the
#   server who holds the admin token. A request that has a key as well has
#   none, nor has a user without an id: two absent ids never count as equal.
# labels:
#   rule: user.via
via := input.user.via if {
	input.user.via in {"console", "admin"}
	is_string(input.user.id)
	input.user.id != ""
	is_null(input.key)
}

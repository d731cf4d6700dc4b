# METADATA
# title: User without a key
# description: Whether a request comes from a user, or an admin, and with no API key; whether its user is suspended.
package svc.user

# METADATA
# title: Suspended user
# description: >-
#   The user who owns the key or is in the console, unless the user takes along
#   what is there. A state that this policy does not know is none that is active;
#   a user who has no state, as an admin and in the records of former versions, is
#   not suspended.
# scope: document
# labels:
#   rule: user.suspended
suspended if {
	input.key.userState != "active"
	not leaving
}

suspended if input.user.state != "active"

# METADATA
# title: What a suspended user may still do
# description: Find the projects and take their games along, with an API key.
# labels:
#   rule: user.leaving
leaving if {
	input.key.userState == "suspended"
	input.action in {"authenticate", "projects.list", "projects.get", "projects.jobs", "status", "files"}
}

# METADATA
# title: Way of a user without a key
# description: >-
#   "console" for a user who is signed in there, "admin" for a user of the
#   server who holds the admin token. A request that has a key as well has
#   none, nor has a suspended user, nor one without an id: two absent ids never
#   count as equal.
# labels:
#   rule: user.via
via := input.user.via if {
	input.user.via in {"console", "admin"}
	is_string(input.user.id)
	input.user.id != ""
	is_null(input.key)
	not suspended
}

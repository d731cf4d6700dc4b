# METADATA
# title: Key
# description: Whether the API key is alive, and its user not suspended.
package svc.key

import data.svc.reasons
import data.svc.user

# METADATA
# title: Live key
# description: >-
#   Active and nothing else is active: a state this policy does not know is
#   not. Key and user are ids, strings that are not empty, so that two absent
#   ids never count as equal. The key of a suspended user is not, nor is one
#   for what its scopes do not allow.
# labels:
#   rule: key.active
active if {
	input.key.state == "active"
	is_string(input.key.id)
	input.key.id != ""
	is_string(input.key.userId)
	input.key.userId != ""
	not user.suspended
	not out_of_scope
}

# METADATA
# title: Action outside the key's scopes
# description: >-
#   A key that has no scopes at all, as in the records of former versions, may
#   do everything, as one with the scope full, which is looked at first because
#   most keys are such.
# labels:
#   rule: key.out_of_scope
out_of_scope if {
	input.key.scopes != ["full"]
	not in_scope
}

# METADATA
# title: Action within the key's scopes
# description: >-
#   A key with the scope full may do everything, one with the scope read what
#   changes nothing, one with other scopes nothing.
# scope: document
# labels:
#   rule: key.in_scope
in_scope if "full" in input.key.scopes

in_scope if {
	"read" in input.key.scopes
	input.action in reading
}

# METADATA
# title: Actions that change nothing
# labels:
#   rule: key.reading
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

# METADATA
# title: What is wrong with the key
# description: >-
#   Undefined for a live key. What is neither live nor known to be revoked,
#   disabled, of a suspended user or out of scope is invalid: absent, unknown
#   or malformed.
#   A suspended user without a key gets that answer, too.
# labels:
#   rule: key.problem
problem := reasons.key_revoked if {
	input.key.state == "revoked"
} else := reasons.key_disabled if {
	input.key.state == "disabled"
} else := reasons.user_suspended if {
	user.suspended
} else := reasons.key_scope if {
	out_of_scope
} else := reasons.key_invalid if {
	not active
}

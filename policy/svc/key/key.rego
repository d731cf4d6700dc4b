# METADATA
# title: Key
# description: Whether the API key is alive.
package svc.key

import data.svc.reasons

# METADATA
# title: Live key
# description: >-
#   Active and nothing else is active: a state this policy does not know is
#   not. Key and user are ids, strings that are not empty, so that two absent
#   ids never count as equal.
# labels:
#   rule: key.active
active if {
	input.key.state == "active"
	is_string(input.key.id)
	input.key.id != ""
	is_string(input.key.userId)
	input.key.userId != ""
}

# METADATA
# title: What is wrong with the key
# description: >-
#   Undefined for a live key. What is neither live nor known to be revoked or
#   disabled is invalid: absent, unknown or malformed.
# labels:
#   rule: key.problem
problem := reasons.key_revoked if {
	input.key.state == "revoked"
} else := reasons.key_disabled if {
	input.key.state == "disabled"
} else := reasons.key_invalid if {
	not active
}

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
#   ids never count as equal. The key of a suspended user is not.
# labels:
#   rule: key.active
active if {
	input.key.state == "active"
	is_string(input.key.id)
	input.key.id != ""
	is_string(input.key.userId)
	input.key.userId != ""
	not user.suspended
}

# METADATA
# title: What is wrong with the key
# description: >-
#   Undefined for a live key. What is neither live nor known to be revoked,
#   disabled or of a suspended user is invalid: absent, unknown or malformed.
#   A suspended user without a key gets that answer, too.
# labels:
#   rule: key.problem
problem := reasons.key_revoked if {
	input.key.state == "revoked"
} else := reasons.key_disabled if {
	input.key.state == "disabled"
} else := reasons.user_suspended if {
	user.suspended
} else := reasons.key_invalid if {
	not active
}

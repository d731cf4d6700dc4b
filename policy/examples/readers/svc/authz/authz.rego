# METADATA
# title: Authorization
# description: >-
#   Puts the parts together. The only entrypoint is decision. It depends on
#   nothing but the input.
package svc.authz

import data.svc.key
import data.svc.limits
import data.svc.project
import data.svc.reasons

# METADATA
# title: Decision
# description: >-
#   The answer to a request. Every input has exactly one: what is not allowed
#   is refused.
# entrypoint: true
# labels:
#   rule: decision
decision := {
	"allow": true,
	"status": 200,
	"error": "",
	"limits": limits.effective,
	"rule": "allowed",
} if {
	allow
} else := object.union(refusal, {"limits": limits.effective})

# METADATA
# title: Allowed requests
# description: >-
#   A list of what may be done: by a live key; by a live key whose user may
#   read the project; by one whose user owns the project; by one that is within
#   its limits besides. What is not on the list is denied.
# scope: document
# labels:
#   rule: allowed
allow if {
	input.action in {"authenticate", "projects.create", "projects.list", "models.list"}
	key.active
}

allow if {
	input.action in {"projects.get", "analytics.read", "status", "events", "files"}
	key.active
	project.role in {"owner", "reader"}
}

allow if {
	input.action in {"projects.delete", "projects.publish", "projects.unpublish", "cancel"}
	key.active
	project.role == "owner"
}

allow if {
	input.action == "generate"
	key.active
	project.role == "owner"
	limits.within
}

# METADATA
# title: Refusal
# description: >-
#   What the client is told, the most important first: what is wrong with the
#   key (401), the action and the project (403), the limits (429), which matter
#   to the action that has some alone.
# labels:
#   rule: refusal
refusal := problem if {
	problem := key.problem
} else := reasons.action_unknown if {
	not input.action in actions
} else := problem if {
	problem := project.problem
} else := problem if {
	input.action == "generate"
	problem := limits.problem
} else := reasons.denied

# METADATA
# title: Actions
# description: Every action that allow knows.
# labels:
#   rule: actions
actions := {
	"authenticate",
	"projects.create",
	"projects.list",
	"projects.get",
	"projects.delete",
	"projects.publish",
	"projects.unpublish",
	"analytics.read",
	"models.list",
	"generate",
	"status",
	"events",
	"files",
	"cancel",
}

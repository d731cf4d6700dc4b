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
import data.svc.user

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
#   its limits besides; by a user in the console; by one who may read or owns
#   the project; by an admin. What is not on the list is denied.
# scope: document
# labels:
#   rule: allowed
allow if {
	input.action in {"authenticate", "projects.create", "projects.list", "models.list", "jobs.list"}
	key.active
}

allow if {
	input.action in {"projects.get", "projects.jobs", "analytics.read", "status", "events", "events.token", "files"}
	key.active
	project.role in {"owner", "reader"}
}

allow if {
	input.action in {
		"projects.delete",
		"projects.publish",
		"projects.unpublish",
		"webhooks.read",
		"webhooks.write",
		"cancel",
		"studio.read",
		"studio.write",
	}
	key.active
	project.role == "owner"
}

allow if {
	input.action == "generate"
	key.active
	project.role == "owner"
	limits.within
}

allow if {
	input.action in {"console.read", "keys.read", "keys.create", "keys.change", "projects.list"}
	user.via == "console"
}

allow if {
	input.action in {"projects.get", "analytics.read", "status", "events", "files", "preview"}
	project.console_role in {"owner", "reader"}
}

allow if {
	input.action in {"projects.attributes", "projects.publish", "projects.unpublish", "webhooks.read", "webhooks.write"}
	project.console_role == "owner"
}

allow if {
	input.action in {"admin.read", "admin.write"}
	user.via == "admin"
}

# METADATA
# title: Refusal
# description: >-
#   What the client is told, the most important first: what is wrong with the
#   key (401) unless a user without one is known, the action and the project
#   (403), the limits (429), which matter to the action that has some alone.
# labels:
#   rule: refusal
refusal := problem if {
	not user.via
	problem := key.problem
} else := reasons.action_unknown if {
	not input.action in actions
} else := problem if {
	not input.action in general_actions
	problem := project.problem
} else := problem if {
	input.action == "generate"
	problem := limits.problem
} else := reasons.denied

# METADATA
# title: Actions on no project
# labels:
#   rule: general_actions
general_actions := {
	"authenticate",
	"projects.create",
	"projects.list",
	"models.list",
	"jobs.list",
	"console.read",
	"keys.read",
	"keys.create",
	"keys.change",
	"keys.others.read",
	"keys.others.change",
	"admin.read",
	"admin.write",
}

# METADATA
# title: Actions
# description: Every action that allow knows.
# labels:
#   rule: actions
actions := general_actions | {
	"projects.get",
	"projects.delete",
	"projects.jobs",
	"projects.publish",
	"projects.unpublish",
	"projects.attributes",
	"analytics.read",
	"webhooks.read",
	"webhooks.write",
	"generate",
	"status",
	"events",
	"events.token",
	"files",
	"preview",
	"cancel",
	"studio.read",
	"studio.write",
}

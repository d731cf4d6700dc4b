# METADATA
# title: Project
# description: Whether the user of a request may use the project, and whether jobs may be submitted to it now.
package svc.project

import data.svc.key
import data.svc.reasons
import data.svc.user

# METADATA
# title: Role of the key's user in the project
# description: >-
#   Only the user who owns the key that created a project may use it. A key
#   that is not alive has no role in any project, nor has one that submits a job
#   while the project is closed.
# labels:
#   rule: project.owner
role := "owner" if {
	key.active
	input.project.ownerId == input.key.userId
	not closed
}

# METADATA
# title: Role of a user in the console
# labels:
#   rule: project.console_role
console_role := "owner" if {
	user.via == "console"
	input.project.ownerId == input.user.id
}

# METADATA
# title: Project that takes no jobs now
# description: One whose hours an admin set, at another time than in them. Everything else goes on.
# labels:
#   rule: project.closed
closed if {
	input.action == "generate"
	input.project.adminAttributes.hours
	not open
}

# METADATA
# title: Within the project's hours
# description: >-
#   Hours are like 06:00-22:00, in UTC, the first minute included and the last
#   not; 22:00-06:00 goes over midnight. Hours that are not of this form are never.
# scope: document
# labels:
#   rule: project.open
open if {
	hours.begin <= clock
	clock < hours.end
}

open if {
	hours.begin > hours.end
	hours.begin <= clock
}

open if {
	hours.begin > hours.end
	clock < hours.end
}

# METADATA
# title: Hours of the project
# description: As times of the day.
# labels:
#   rule: project.hours
hours := {"begin": concat("", [begin, ":00Z"]), "end": concat("", [end, ":00Z"])} if {
	text := input.project.adminAttributes.hours
	regex.match(`^([01][0-9]|2[0-4]):[0-5][0-9]-([01][0-9]|2[0-4]):[0-5][0-9]$`, text)
	[begin, end] := split(text, "-")
}

# METADATA
# title: Time of the day
# description: In UTC, like 09:41:05Z.
# labels:
#   rule: project.clock
clock := split(input.request.time, "T")[1]

# METADATA
# title: What is wrong with the use of the project
# description: The project is not the user's, or does not exist, or takes no jobs now.
# labels:
#   rule: project.problem
problem := reasons.project_closed if {
	closed
	input.project.ownerId == input.key.userId
} else := reasons.project_forbidden if {
	not role
	not console_role
}

# METADATA
# title: Project
# description: Whether the user of a request may use the project.
package svc.project

import data.svc.key
import data.svc.reasons
import data.svc.user

# METADATA
# title: Role of the key's user in the project
# description: >-
#   Only the user who owns the key that created a project may use it. A key
#   that is not alive has no role in any project.
# labels:
#   rule: project.owner
role := "owner" if {
	key.active
	input.project.ownerId == input.key.userId
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
# title: What is wrong with the use of the project
# description: The project is not the user's, or does not exist.
# labels:
#   rule: project.problem
problem := reasons.project_forbidden if {
	not role
	not console_role
}

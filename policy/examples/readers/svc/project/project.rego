# METADATA
# title: Project
# description: Whether the user of a request may use the project.
package svc.project

import data.svc.key
import data.svc.reasons
import data.svc.user

# METADATA
# title: Readers of the project
# description: The users whose ids are in its attribute "readers", a list with commas.
# scope: document
# labels:
#   rule: project.readers
readers contains trim_space(reader) if {
	is_string(input.project.attributes.readers)
	some reader in split(input.project.attributes.readers, ",")
}

# METADATA
# title: Role of the key's user in the project
# description: >-
#   The user who owns the key that created a project is its owner, one of its
#   readers is a reader. A key that is not alive has no role in any project.
# labels:
#   rule: project.role
role := "owner" if {
	key.active
	input.project.ownerId == input.key.userId
} else := "reader" if {
	key.active
	input.key.userId in readers
}

# METADATA
# title: Role of a user in the console
# labels:
#   rule: project.console_role
console_role := "owner" if {
	user.via == "console"
	input.project.ownerId == input.user.id
} else := "reader" if {
	user.via == "console"
	input.user.id in readers
}

# METADATA
# title: What is wrong with the use of the project
# description: >-
#   Forbidden without a role: the project is not the user's, or does not exist.
#   A reader is told that he may only read.
# labels:
#   rule: project.problem
problem := reasons.project_forbidden if {
	not role
	not console_role
} else := reasons.project_read_only if {
	not role == "owner"
	not console_role == "owner"
}

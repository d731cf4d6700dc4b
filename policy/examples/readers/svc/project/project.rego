# METADATA
# title: Project
# description: Whether the key's user may use the project.
package svc.project

import data.svc.key
import data.svc.reasons

# METADATA
# title: Role of the key's user in the project
# description: >-
#   The user who owns the key that created a project is its owner. A user whose
#   id is in the project's attribute "readers", a list with commas, is its
#   reader. A key that is not alive has no role in any project.
# labels:
#   rule: project.role
role := "owner" if {
	key.active
	input.project.ownerId == input.key.userId
} else := "reader" if {
	key.active
	is_string(input.project.attributes.readers)
	some reader in split(input.project.attributes.readers, ",")
	trim_space(reader) == input.key.userId
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
} else := reasons.project_read_only if {
	role == "reader"
}

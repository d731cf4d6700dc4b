# METADATA
# title: Project
# description: Whether the user of a request may use the project, from the address that the request comes from.
package svc.project

import data.svc.key
import data.svc.reasons
import data.svc.user

# METADATA
# title: Role of the key's user in the project
# description: >-
#   Only the user who owns the key that created a project may use it. A key
#   that is not alive has no role in any project, nor has one that comes from an
#   address which is not listed.
# labels:
#   rule: project.owner
role := "owner" if {
	key.active
	input.project.ownerId == input.key.userId
	not elsewhere
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
# title: Request from an address that is not listed
# description: Where an admin listed networks of the project.
# labels:
#   rule: project.elsewhere
elsewhere if {
	input.project.adminAttributes.networks
	not listed
}

# METADATA
# title: Request from an address that is listed
# description: What is no network in the list lists nothing; an address that is not known is in none.
# labels:
#   rule: project.listed
listed if {
	some network in split(input.project.adminAttributes.networks, ",")
	net.cidr_is_valid(trim_space(network))
	net.cidr_contains(trim_space(network), input.request.ip)
}

# METADATA
# title: What is wrong with the use of the project
# description: The project is not the user's, or does not exist, or is not to be used from here.
# labels:
#   rule: project.problem
problem := reasons.project_elsewhere if {
	elsewhere
	input.project.ownerId == input.key.userId
} else := reasons.project_forbidden if {
	not role
	not console_role
}

package svc.key

# METADATA
# title: Key of a board
# description: One that hangs in a room and shows how jobs go, and that no game can be taken with.
# labels:
#   rule: key.board
in_scope if {
	"board" in input.key.scopes
	input.action in {"authenticate", "projects.list", "projects.get", "projects.jobs", "status", "events"}
}

package svc.reasons

# METADATA
# title: Project that takes no jobs at this time
project_closed := {
	"rule": "project.closed",
	"allow": false,
	"status": 403,
	"error": "This project takes no jobs at this time of the day.",
}

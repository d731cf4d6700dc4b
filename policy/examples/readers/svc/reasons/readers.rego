package svc.reasons

# METADATA
# title: Project that may only be read
project_read_only := {
	"rule": "project.read_only",
	"allow": false,
	"status": 403,
	"error": "The user of this API key may only read this project.",
}

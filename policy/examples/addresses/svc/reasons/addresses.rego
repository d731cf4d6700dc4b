package svc.reasons

# METADATA
# title: Project that is not used from this address
project_elsewhere := {
	"rule": "project.elsewhere",
	"allow": false,
	"status": 403,
	"error": "This project is not to be used from this address.",
}

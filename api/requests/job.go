package requests

import (
	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// ParseJobStatus returns the state of a name, or the 400 of one that is none.
func ParseJobStatus(name string) (api.JobStatus, error) {
	switch s := api.JobStatus(name); s {
	case api.JobQueued, api.JobRunning, api.JobCompleted, api.JobFailed, api.JobCancelled:
		return s, nil
	}
	return "", answers.BadRequest("status must be one of queued, running, completed, failed and cancelled.")
}

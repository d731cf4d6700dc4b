package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
)

// writeJSON answers with body, which no cache may keep.
func writeJSON(w http.ResponseWriter, status int, body any) error {
	out, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(append(out, '\n'))
	return err
}

// writeReplay answers a submission that was made before, from the job's row.
func writeReplay(w http.ResponseWriter, job *sidecar.Job) error {
	w.Header().Set("Idempotent-Replayed", "true")
	return writeJSON(w, http.StatusOK, api.Submission{
		JobID:     job.JobID,
		ProjectID: job.ProjectID,
		Status:    job.Status,
		SessionID: job.SessionID,
	})
}

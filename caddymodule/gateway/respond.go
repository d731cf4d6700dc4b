package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
)

// WriteJSON answers with body, which no cache may keep.
func WriteJSON(w http.ResponseWriter, status int, body any) error {
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

// WriteReplay answers a submission that was made before, from the job's row.
func WriteReplay(w http.ResponseWriter, job *sidecar.Job) error {
	w.Header().Set("Idempotent-Replayed", "true")
	return WriteJSON(w, http.StatusOK, api.Submission{
		JobID:     job.JobID,
		ProjectID: job.ProjectID,
		Status:    job.Status,
		SessionID: job.SessionID,
	})
}

package ledger

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

// postEnd notes that a job's end is to be posted, where its project has a webhook for it.
// It is part of the settlement: no end is noted twice, and none is forgotten.
func postEnd(tx *store.Tx, job *jobRow, status api.JobStatus, now int64) error {
	event := "job." + string(status)
	var wanted string
	err := tx.Row("SELECT events FROM webhooks WHERE project_id = ?", job.projectID).Scan(&wanted)
	if errors.Is(err, store.ErrNoRows) || err == nil && !strings.Contains(wanted, " "+event+" ") {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := json.Marshal(api.WebhookPost{
		Type: event, Timestamp: time.UnixMilli(now).UTC(),
		Data: api.WebhookPostData{JobID: job.id, ProjectID: job.projectID, SessionID: job.sessionID, Status: status},
	})
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO webhook_deliveries (id, project_id, job_id, event, body, state, created_at, due_at)
		VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)`, api.DeliveryID(job.id), job.projectID, job.id, event, string(body), now, now)
	return err
}

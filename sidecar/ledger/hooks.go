package ledger

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// hook notes where the job's end is posted to, where that is not the project's webhook. The
// project must have one all the same: its secret signs.
func (a *admitting) hook() error {
	if a.Webhook == nil {
		return nil
	}
	var there int64
	if err := a.tx.Row("SELECT count(*) FROM webhooks WHERE project_id = ?", a.ProjectID).Scan(&there); err != nil {
		return err
	}
	if there == 0 {
		return sidecar.NoSigningWebhook()
	}
	_, err := a.tx.Exec("UPDATE jobs SET hook_url = ?, hook_events = ? WHERE id = ?",
		a.Webhook.URL, " "+strings.Join(a.Webhook.Events, " ")+" ", a.JobID)
	return err
}

// postEnd notes that a job's end is to be posted, where its project has a webhook and
// that, or the one of the job itself, is for it.
// It is part of the settlement: no end is noted twice, and none is forgotten.
func postEnd(tx *store.Tx, job *jobRow, status api.JobStatus, now int64) error {
	event := "job." + string(status)
	var wanted, url string
	err := tx.Row(`SELECT CASE WHEN j.hook_url = '' THEN w.events ELSE j.hook_events END, j.hook_url
		FROM webhooks w JOIN jobs j ON j.id = ? WHERE w.project_id = ?`, job.id, job.projectID).Scan(&wanted, &url)
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
	_, err = tx.Exec(`INSERT INTO webhook_deliveries (id, project_id, job_id, event, url, body, state, created_at, due_at)
		VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`, api.DeliveryID(job.id), job.projectID, job.id, event, url, string(body), now, now)
	return err
}

package api

import (
	"strings"
	"time"
)

// Events that webhooks post.
const (
	HookCompleted = "job.completed"
	HookFailed    = "job.failed"
	HookCancelled = "job.cancelled"
)

// HookEvents returns all of them.
func HookEvents() []string { return []string{HookCompleted, HookFailed, HookCancelled} }

// WebhookRequest is the body of POST /v1/projects/{id}/webhook, and webhook of that of POST
// /v1/generate.
type WebhookRequest struct {
	URL    string   `json:"url"`
	Events []string `json:"events,omitempty"` // some of HookEvents, in their order
}

// Webhook says where the ends of a project's jobs are posted to.
type Webhook struct {
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	CreatedAt time.Time `json:"createdAt"`
	// Secret signs the posts. It is in the answer that made it alone.
	Secret string `json:"secret,omitempty"`
	// FormerUntil is until when the secret before signs besides, nil for none.
	FormerUntil *time.Time `json:"formerSecretUntil,omitempty"`
}

// WebhookFound is the body of what is asked of /v1/projects/{id}/webhook.
type WebhookFound struct {
	Success bool    `json:"success"`
	Data    Webhook `json:"data"`
}

// States of a delivery.
const (
	DeliveryWaiting   = "waiting"
	DeliveryDelivered = "delivered"
	DeliveryDead      = "dead" // given up; Replay begins anew
)

// Delivery is one event and what became of its posts.
type Delivery struct {
	ID        string     `json:"id"` // webhook-id of the posts
	JobID     string     `json:"jobId"`
	Event     string     `json:"event"`
	State     string     `json:"state"`
	Attempts  int64      `json:"attempts"`
	Status    int64      `json:"status,omitempty"`  // of the last answer
	Problem   string     `json:"problem,omitempty"` // of the last attempt
	CreatedAt time.Time  `json:"createdAt"`
	NextAt    *time.Time `json:"nextAttemptAt,omitempty"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
}

// DeliveryList is the body of GET /v1/projects/{id}/webhook/deliveries, newest first.
type DeliveryList struct {
	Success    bool       `json:"success"`
	Data       []Delivery `json:"data"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

// DeliveryFound is the body of POST /v1/projects/{id}/webhook/replay.
type DeliveryFound struct {
	Success bool     `json:"success"`
	Data    Delivery `json:"data"`
}

// WebhookPost is the body of a post: what happened to which job. What the job made is asked for.
type WebhookPost struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      WebhookPostData `json:"data"`
}

// WebhookPostData names the job that ended.
type WebhookPostData struct {
	JobID     string    `json:"jobId"`
	ProjectID string    `json:"projectId"`
	SessionID string    `json:"sessionId"`
	Status    JobStatus `json:"status"`
}

// deliveryPrefix begins the ids of deliveries; what follows is that of the job.
const deliveryPrefix = "msg_"

// DeliveryID names the delivery of a job's end.
func DeliveryID(jobID string) string { return deliveryPrefix + strings.TrimPrefix(jobID, "job_") }

// ValidDeliveryID reports whether s has the form of a delivery's id.
func ValidDeliveryID(s string) bool {
	id, ok := strings.CutPrefix(s, deliveryPrefix)
	return ok && ValidJobID("job_"+id)
}

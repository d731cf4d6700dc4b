package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
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

// maxHookURL is how long a webhook's URL may be.
const maxHookURL = 2048

// WebhookRequest is the body of POST /v1/projects/{id}/webhook, and webhook of that of POST
// /v1/generate.
type WebhookRequest struct {
	URL    string   `json:"url"`
	Events []string `json:"events,omitempty"` // some of HookEvents, in their order
}

// ParseWebhookRequest reads and checks the body of POST /v1/projects/{id}/webhook. Its
// error is an *Error with status 400.
func ParseWebhookRequest(body []byte) (WebhookRequest, error) { return parseHook(body, "") }

// parseHook reads a webhook that stands at a member of a body.
func parseHook(raw []byte, at string) (WebhookRequest, error) {
	var req WebhookRequest
	var wanted []string
	urlAt, eventsAt := member(at, "url"), member(at, "events")
	err := decodeObject(raw, at, members{
		"url": text(&req.URL, urlAt, 1, maxHookURL),
		"events": func(raw json.RawMessage) error {
			return decodeArray(raw, eventsAt, len(HookEvents()), func(i int, raw json.RawMessage) error {
				var event string
				err := oneOf(&event, eventsAt+"["+strconv.Itoa(i)+"]", HookEvents()...)(raw)
				wanted = append(wanted, event)
				return err
			})
		},
	})
	if err == nil {
		err = checkHookURL(req.URL, urlAt)
	}
	if err != nil {
		return WebhookRequest{}, err
	}
	for _, event := range HookEvents() {
		if len(wanted) == 0 || slices.Contains(wanted, event) {
			req.Events = append(req.Events, event)
		}
	}
	return req, nil
}

func checkHookURL(text, at string) error {
	if text == "" {
		return BadRequest("%s is required.", at)
	}
	u, err := url.Parse(text)
	printable := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
	if err != nil || !printable || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "" {
		return BadRequest("%s must be an https address, in ASCII.", at)
	}
	if u.User != nil || u.Fragment != "" {
		return BadRequest("%s can't hold a user, a password or a fragment.", at)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return BadRequest("%s has an invalid port.", at)
		}
	}
	return nil
}

// WithoutWebhook returns the body of a submission without its webhook, which is no
// engine's business.
func WithoutWebhook(body []byte) ([]byte, error) {
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(body, &rest); err != nil {
		return nil, fmt.Errorf("reading a submission: %w", err)
	}
	delete(rest, "webhook")
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rest); err != nil {
		return nil, fmt.Errorf("writing a submission: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
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

// ParseReplayRequest reads and checks the body of POST /v1/projects/{id}/webhook/replay.
// Its error is an *Error with status 400.
func ParseReplayRequest(body []byte) (deliveryID string, err error) {
	err = decodeObject(body, "", members{"deliveryId": text(&deliveryID, "deliveryId", 1, 64)})
	if err == nil && !ValidDeliveryID(deliveryID) {
		err = BadRequest("deliveryId must name a delivery of the project.")
	}
	return deliveryID, err
}

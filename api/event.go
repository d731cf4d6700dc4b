package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Types of the events of a job. Exactly one of the last three ends the log.
const (
	EventQueued           = "job.queued"
	EventStarted          = "job.started"
	EventProgress         = "job.progress"
	EventAssistantDelta   = "assistant.delta"
	EventAssistantMessage = "assistant.message"
	EventToolCall         = "tool.call"
	EventToolResult       = "tool.result"
	EventFileChanged      = "file.changed"
	EventAssetCreated     = "asset.created"
	EventBuildResult      = "build.result"
	EventAuditResult      = "audit.result"
	EventPlaytestResult   = "playtest.result"
	EventFixApplied       = "fix.applied"
	EventUsage            = "usage"
	EventWarning          = "warning"
	EventCompleted        = "job.completed"
	EventFailed           = "job.failed"
	EventCancelled        = "job.cancelled"
)

// Events of a connection; they have no id and are in no log.
const (
	StreamReset   = "stream.reset"
	StreamClosing = "stream.closing"
)

// MaxEventData bounds the JSON of one event, in bytes: many clients read
// lines of at most 64 KiB.
const MaxEventData = 48 << 10

// TerminalEvent reports whether an event of this type ends a job's log.
func TerminalEvent(eventType string) bool {
	return eventType == EventCompleted || eventType == EventFailed || eventType == EventCancelled
}

// TerminalEventOf returns the type of the event that ends a job in status s.
func TerminalEventOf(s JobStatus) string {
	switch s {
	case JobCompleted:
		return EventCompleted
	case JobFailed:
		return EventFailed
	case JobCancelled:
		return EventCancelled
	}
	return ""
}

// Event is one entry of a job's log. Its JSON is flat: the envelope and the
// event's own members side by side.
type Event struct {
	Type      string
	Seq       uint64 // from 1, strictly increasing in a job
	JobID     string
	ProjectID string
	TS        time.Time
	// Members are the event's own. A name of the envelope, and "error", which
	// some clients take for the end of the stream, are refused by MarshalJSON.
	Members map[string]any
}

// MarshalJSON writes one flat object.
func (e Event) MarshalJSON() ([]byte, error) {
	flat := map[string]any{
		"type": e.Type, "seq": e.Seq, "jobId": e.JobID, "projectId": e.ProjectID,
		"ts": e.TS.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
	}
	for name, value := range e.Members {
		if _, taken := flat[name]; taken || name == "error" {
			return nil, fmt.Errorf("event %s: member %q is reserved", e.Type, name)
		}
		flat[name] = value
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(data []byte) error {
	var envelope struct {
		Type      string    `json:"type"`
		Seq       uint64    `json:"seq"`
		JobID     string    `json:"jobId"`
		ProjectID string    `json:"projectId"`
		TS        time.Time `json:"ts"`
	}
	if err := json.Unmarshal(data, &envelope); err != nil {
		return err
	}
	var flat map[string]any
	if err := json.Unmarshal(data, &flat); err != nil {
		return err
	}
	maps.DeleteFunc(flat, func(name string, _ any) bool {
		switch name {
		case "type", "seq", "jobId", "projectId", "ts":
			return true
		}
		return false
	})
	*e = Event{
		Type: envelope.Type, Seq: envelope.Seq, JobID: envelope.JobID,
		ProjectID: envelope.ProjectID, TS: envelope.TS, Members: flat,
	}
	return nil
}

package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// AuditEntry is an entry of the audit log: who changed what. Package keys reads it.
type AuditEntry struct {
	Actor   string         // who: "uid:1000" at the admin socket, "console:alice" in the console
	Action  string         // what: "key.revoke" for one
	Subject string         // to which user, key or project: its id
	Detail  map[string]any // may be nil
}

// Audit appends an entry to the log, in the transaction of the change that it
// records: neither exists without the other.
func (t *Tx) Audit(now time.Time, e AuditEntry) error {
	if e.Detail == nil {
		e.Detail = map[string]any{}
	}
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	seq, err := t.NextSeq(LogAudit)
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	_, err = t.Exec("INSERT INTO audit (seq, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)",
		seq, now.UnixMilli(), e.Actor, e.Action, e.Subject, string(detail))
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

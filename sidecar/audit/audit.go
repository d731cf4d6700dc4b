// Package audit writes the log of who changed what. An entry is written in the
// transaction of the change it tells of, so that neither is there without the
// other. Package keys reads it.
package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// Change is an entry of the log.
type Change struct {
	Actor   string         // who: "uid:1000" at the admin socket, "console:alice" in the console
	Action  string         // what: "key.revoke" for one
	Subject string         // to which user, key or project: its id
	Detail  map[string]any // may be nil
}

// Write appends an entry to the log.
func Write(tx *store.Tx, now time.Time, c Change) error {
	if c.Detail == nil {
		c.Detail = map[string]any{}
	}
	detail, err := json.Marshal(c.Detail)
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	seq, err := tx.NextSeq(store.LogAudit)
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	_, err = tx.Exec("INSERT INTO audit (seq, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)",
		seq, now.UnixMilli(), c.Actor, c.Action, c.Subject, string(detail))
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

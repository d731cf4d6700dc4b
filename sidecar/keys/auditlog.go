package keys

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// AuditEntry is a change of a user or a key: what, by whom and when.
type AuditEntry struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`
	Action  string          `json:"action"`
	Subject string          `json:"subject"` // a user's or a key's id
	Detail  json.RawMessage `json:"detail"`
}

// AuditLog is a page of the audit log, newest first.
type AuditLog struct {
	Entries []AuditEntry `json:"entries"`
	// Next asks for the page before; 0 after the last one.
	Next int64 `json:"next,omitempty"`
}

// Record appends an entry that has no change of the store beside it.
func (g *Registry) Record(ctx context.Context, e store.AuditEntry) error {
	return g.store.Update(ctx, func(tx *store.Tx) error { return tx.Audit(g.now(), e) })
}

// Audit returns the changes made to a key, or to a user and all keys and
// projects of that user; with neither, all. before is 0 or the Next of an earlier page.
func (g *Registry) Audit(ctx context.Context, keyID, userID string, before int64) (AuditLog, error) {
	query, args := auditQuery(keyID, userID, before)
	entries, err := store.Read(ctx, g.store, func(r *store.Reader) ([]AuditEntry, error) {
		return store.All(r, scanAuditEntry, query, args...)
	})
	if err != nil {
		return AuditLog{}, fmt.Errorf("reading the audit log: %w", err)
	}
	if len(entries) <= maxEntries {
		return AuditLog{Entries: entries}, nil
	}
	return AuditLog{Entries: entries[:maxEntries], Next: entries[maxEntries-1].Seq}, nil
}

func scanAuditEntry(scan store.Scan) (AuditEntry, error) {
	var e AuditEntry
	var at int64
	var detail string
	err := scan(&e.Seq, &at, &e.Actor, &e.Action, &e.Subject, &detail)
	e.At, e.Detail = time.UnixMilli(at).UTC(), json.RawMessage(detail)
	return e, err
}

// auditQuery names only what is asked for: a condition that holds for all
// subjects would have the whole log read.
func auditQuery(keyID, userID string, before int64) (query string, args []any) {
	if before <= 0 {
		before = math.MaxInt64
	}
	query, args = "SELECT seq, at, actor, action, subject, detail FROM audit WHERE seq < ?", []any{before}
	if keyID != "" {
		query += " AND subject = ?"
		args = append(args, keyID)
	}
	if userID != "" {
		query += ` AND subject IN (SELECT id FROM users WHERE id = ?
			UNION ALL SELECT id FROM keys WHERE user_id = ? UNION ALL SELECT id FROM projects WHERE owner_id = ?)`
		args = append(args, userID, userID, userID)
	}
	return query + " ORDER BY seq DESC LIMIT ?", append(args, maxEntries+1)
}

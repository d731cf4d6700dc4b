package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// lease is how long a delivery is its sender's: longer than an attempt may take.
	// What a sender's death leaves is due again after it.
	lease = 30 * time.Second
	// keep is how long deliveries are listed.
	keep = 30 * 24 * time.Hour
)

// waits are those after each attempt that failed; the last attempt is 23 h 36 min after
// the first.
var waits = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

// taken is a delivery that a sender posts.
type taken struct {
	id, projectID string
	url           string
	secrets       []string // that sign
	body          string
	attempt       int64 // from 1
	at            time.Time
	until         int64 // the end of the lease: the row is the sender's as long as it says so
}

// outcome is what became of an attempt.
type outcome struct {
	status      int    // of the answer, 0 for none
	problem     string // "" for an answer that it was received
	final       bool   // another attempt would change nothing
	interrupted bool   // it is not known, since the sender stopped
}

// take takes the delivery that is due first of each project, but for the busy ones.
func (s *Sender) take(ctx context.Context, free int, busy map[string]bool) ([]taken, error) {
	idle, err := s.nothingDue(ctx)
	if idle || err != nil {
		return nil, err
	}
	var list []taken
	err = s.o.Store.Update(ctx, func(tx *store.Tx) error {
		list = list[:0]
		now, err := tx.Now(s.o.Now)
		if err != nil {
			return err
		}
		due, err := store.All(&tx.Reader, scanTaken(now), `SELECT d.id, d.project_id, w.url, w.secret, w.former, w.former_until, d.body, d.attempts + 1
			FROM webhook_deliveries d JOIN webhooks w ON w.project_id = d.project_id
			WHERE d.state = 'waiting' AND d.due_at <= ? AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e
				WHERE e.project_id = d.project_id AND e.state = 'waiting' AND (e.due_at < d.due_at OR e.due_at = d.due_at AND e.id < d.id))
			ORDER BY d.due_at, d.id LIMIT ?`, now.UnixMilli(), free+len(busy))
		if err != nil {
			return err
		}
		for _, t := range due {
			if busy[t.projectID] || len(list) == free {
				continue
			}
			// Another sidecar may have taken it since.
			n, err := tx.Exec(`UPDATE webhook_deliveries SET due_at = ?, attempts = attempts + 1
				WHERE id = ? AND state = 'waiting' AND due_at <= ?`, t.until, t.id, now.UnixMilli())
			if err != nil {
				return err
			}
			if n == 1 {
				list = append(list, t)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("taking deliveries: %w", err)
	}
	return list, nil
}

// nothingDue looks without a write, which an idle service is spared each second.
func (s *Sender) nothingDue(ctx context.Context) (bool, error) {
	n, err := store.Read(ctx, s.o.Store, func(r *store.Reader) (n int64, err error) {
		now, err := r.Now(s.o.Now)
		if err != nil {
			return 0, err
		}
		return n, r.Row("SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE state = 'waiting' AND due_at <= ? LIMIT 1) AS due", now.UnixMilli()).Scan(&n)
	})
	if err != nil {
		return false, fmt.Errorf("looking for deliveries: %w", err)
	}
	return n == 0, nil
}

func scanTaken(now time.Time) func(store.Scan) (taken, error) {
	return func(scan store.Scan) (taken, error) {
		t := taken{at: now, until: now.Add(lease).UnixMilli()}
		var secret, former string
		var until int64
		err := scan(&t.id, &t.projectID, &t.url, &secret, &former, &until, &t.body, &t.attempt)
		t.secrets = []string{secret}
		if former != "" && until > now.UnixMilli() {
			t.secrets = append(t.secrets, former)
		}
		return t, err
	}
}

// note writes what became of an attempt, unless the delivery was taken by another sender
// or replayed since.
func (s *Sender) note(ctx context.Context, t taken, got outcome) error {
	err := s.o.Store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(s.o.Now)
		if err != nil {
			return err
		}
		const mine = " WHERE id = ? AND state = 'waiting' AND due_at = ?"
		state := api.DeliveryDelivered
		switch {
		case got.interrupted:
			_, err := tx.Exec("UPDATE webhook_deliveries SET due_at = ?, attempts = attempts - 1"+mine, now.UnixMilli(), t.id, t.until)
			return err
		case got.problem != "" && !got.final && t.attempt <= int64(len(waits)):
			_, err := tx.Exec("UPDATE webhook_deliveries SET due_at = ?, status = ?, problem = ?"+mine,
				now.Add(waits[t.attempt-1]).UnixMilli(), got.status, got.problem, t.id, t.until)
			return err
		case got.problem != "":
			state = api.DeliveryDead
		}
		_, err = tx.Exec("UPDATE webhook_deliveries SET state = ?, ended_at = ?, status = ?, problem = ?"+mine,
			state, now.UnixMilli(), got.status, got.problem, t.id, t.until)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting an attempt of %s: %w", t.id, err)
	}
	return nil
}

// prune deletes deliveries that are too old to be listed.
func (s *Sender) prune(ctx context.Context) error {
	err := s.o.Store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(s.o.Now)
		if err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM webhook_deliveries WHERE created_at < ?", now.Add(-keep).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting old deliveries: %w", err)
	}
	return nil
}

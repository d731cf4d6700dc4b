package webhooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// lease is how long a project's deliveries are one sender's: longer than an attempt
	// may take. What a sender's death leaves is posted after it.
	lease = 30 * time.Second
	// keep is how long deliveries are listed, from their end.
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
	ownerID       string // of the project
	url           string
	secrets       []string // that sign
	body          string
	attempt       int64 // from 1
	due           int64 // since when; a replay changes it
	at            time.Time
	until         int64 // the end of the lease: the project is the sender's as long as it says so
}

// outcome is what became of an attempt.
type outcome struct {
	status      int    // of the answer, 0 for none
	problem     string // "" for an answer that it was received
	final       bool   // another attempt would change nothing
	interrupted bool   // it is not known, since the sender stopped
}

// due are the deliveries that may be posted now: of each project with no post under way
// the one that is due first, and of each owner no more than are free. Its arguments are
// the time, three times, perOwner and the most rows.
const due = `SELECT id, project_id, owner_id, url, secret, former, former_until, body, attempts + 1, due_at FROM (
		SELECT d.id, d.project_id, p.owner_id, CASE WHEN d.url = '' THEN w.url ELSE d.url END AS url, w.secret, w.former, w.former_until, d.body, d.attempts, d.due_at,
			row_number() OVER (PARTITION BY p.owner_id ORDER BY d.due_at, d.id) + (SELECT count(*) FROM webhooks o
				JOIN projects q ON q.id = o.project_id WHERE q.owner_id = p.owner_id AND o.leased_until > ?) AS place
		FROM webhook_deliveries d JOIN webhooks w ON w.project_id = d.project_id JOIN projects p ON p.id = d.project_id
		WHERE d.state = 'waiting' AND d.due_at <= ? AND w.leased_until <= ? AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e
			WHERE e.project_id = d.project_id AND e.state = 'waiting' AND (e.due_at < d.due_at OR e.due_at = d.due_at AND e.id < d.id))
	) AS first WHERE place <= ? ORDER BY due_at, id LIMIT ?`

// take takes the deliveries that are due. It looks without a write first, which an idle
// service is spared each second.
func (s *Sender) take(ctx context.Context, free int) ([]taken, error) {
	look := func(r *store.Reader) ([]taken, error) {
		now, err := r.Now(s.o.Now)
		if err != nil {
			return nil, err
		}
		ms := now.UnixMilli()
		return store.All(r, scanTaken(now), due, ms, ms, ms, perOwner, free)
	}
	list, err := store.Read(ctx, s.o.Store, look)
	if err == nil && len(list) > 0 {
		err = s.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
			if list, err = look(&tx.Reader); err != nil {
				return err
			}
			list, err = leased(tx, list)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("taking deliveries: %w", err)
	}
	return list, nil
}

// leased returns those of list whose projects it could lease: another sidecar may have
// done so since.
func leased(tx *store.Tx, list []taken) (mine []taken, err error) {
	slices.SortFunc(list, func(a, b taken) int { return strings.Compare(a.projectID, b.projectID) }) // so that no two senders wait for each other
	for _, t := range list {
		n, err := tx.Exec("UPDATE webhooks SET leased_until = ? WHERE project_id = ? AND leased_until <= ?", t.until, t.projectID, t.at.UnixMilli())
		if err != nil {
			return nil, err
		}
		if n == 1 {
			mine = append(mine, t)
		}
	}
	return mine, nil
}

func scanTaken(now time.Time) func(store.Scan) (taken, error) {
	return func(scan store.Scan) (taken, error) {
		t := taken{at: now, until: now.Add(lease).UnixMilli()}
		var secret, former string
		var until int64
		err := scan(&t.id, &t.projectID, &t.ownerID, &t.url, &secret, &former, &until, &t.body, &t.attempt, &t.due)
		t.secrets = []string{secret}
		if former != "" && until > now.UnixMilli() {
			t.secrets = append(t.secrets, former)
		}
		return t, err
	}
}

// note ends the lease and writes what became of an attempt, unless the project was taken
// by another sender, or the delivery replayed since.
func (s *Sender) note(ctx context.Context, t taken, got outcome) error {
	err := s.o.Store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(s.o.Now)
		if err != nil {
			return err
		}
		n, err := tx.Exec("UPDATE webhooks SET leased_until = 0 WHERE project_id = ? AND leased_until = ?", t.projectID, t.until)
		if err != nil || n == 0 || got.interrupted {
			return err
		}
		const mine = " WHERE id = ? AND state = 'waiting' AND due_at = ?"
		state := api.DeliveryDelivered
		switch {
		case got.problem != "" && !got.final && t.attempt <= int64(len(waits)):
			_, err := tx.Exec("UPDATE webhook_deliveries SET attempts = ?, due_at = ?, status = ?, problem = ?"+mine,
				t.attempt, now.Add(waits[t.attempt-1]).UnixMilli(), got.status, got.problem, t.id, t.due)
			return err
		case got.problem != "":
			state = api.DeliveryDead
		}
		_, err = tx.Exec("UPDATE webhook_deliveries SET attempts = ?, state = ?, ended_at = ?, status = ?, problem = ?"+mine,
			t.attempt, state, now.UnixMilli(), got.status, got.problem, t.id, t.due)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting an attempt of %s: %w", t.id, err)
	}
	return nil
}

// prune deletes deliveries that ended too long ago to be listed; one that waits stays.
func (s *Sender) prune(ctx context.Context) error {
	err := s.o.Store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(s.o.Now)
		if err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM webhook_deliveries WHERE ended_at < ?", now.Add(-keep).UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting old deliveries: %w", err)
	}
	return nil
}

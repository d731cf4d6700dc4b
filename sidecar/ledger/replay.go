package ledger

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Replay returns the job that an earlier submission with the same idempotency
// key made, or nil. See sidecar.Service.
func (l *Ledger) Replay(ctx context.Context, keyID, idempotencyKey, fingerprint string) (*sidecar.Job, error) {
	job, err := store.Read(ctx, l.store, func(r *store.Reader) (*sidecar.Job, error) {
		return findReplay(r, keyID, idempotencyKey, fingerprint)
	})
	if err != nil {
		return nil, fmt.Errorf("looking for an earlier submission: %w", err)
	}
	return job, nil
}

// findReplay returns the job that a key's idempotency key names, or nil.
func findReplay(r *store.Reader, keyID, name, fingerprint string) (*sidecar.Job, error) {
	var jobID, stored string
	err := r.Row("SELECT job_id, fingerprint FROM idempotency WHERE key_id = ? AND name = ?", keyID, name).
		Scan(&jobID, &stored)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if stored != fingerprint {
		return nil, sidecar.ErrIdempotencyMismatch
	}
	job, state, err := readJob(r, jobID)
	if err != nil {
		return nil, err
	}
	if state == stateReserved {
		return nil, &answers.Error{
			Status:     http.StatusConflict,
			Message:    "A request with the same Idempotency-Key is in flight.",
			RetryAfter: time.Second,
		}
	}
	return &job, nil
}

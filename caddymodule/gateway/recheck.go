package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

const (
	// keyTimeout bounds the look at a key that changed: its streams end within
	// half a second of a revocation, also when no one can be asked.
	keyTimeout = 100 * time.Millisecond
	// readerTimeout bounds the look at one reader of all. It is longer, since most
	// of them have lost nothing, and would all come back at once.
	readerTimeout = 500 * time.Millisecond
)

// Rechecks asks the policy again about those who have event streams open: of keys
// that changed at once, of all readers when the rules change, or what they rest on.
// Streams of those whom the policy no longer lets through end. So do the streams of
// those about whom it can't be asked: their clients come back and are checked then.
type Rechecks struct {
	sidecar sidecar.Service
	open    *streams.Registry
	wanted  chan struct{} // holds one token while a round of all is to come
	cancel  context.CancelFunc
	done    chan struct{}
}

// NewRechecks returns Rechecks of the streams that are open. Close ends them.
func NewRechecks(s sidecar.Service, open *streams.Registry) *Rechecks {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Rechecks{sidecar: s, open: open, wanted: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

// Keys looks at keys that changed. It returns when their streams were told.
func (r *Rechecks) Keys(keyIDs []string) {
	for _, id := range keyIDs {
		if !r.open.Has(id) {
			continue
		}
		if reason := r.ask(context.Background(), keyTimeout, id, "", policy.ActionListProjects); reason != "" {
			r.open.CloseKey(id, reason)
		}
	}
}

// All asks for a round of all readers. It waits for nothing, since the revocation
// log must not wait for thousands of decisions: rounds that are asked for while one
// is under way are one more.
func (r *Rechecks) All() {
	select {
	case r.wanted <- struct{}{}:
	default:
	}
}

// Close ends the rounds.
func (r *Rechecks) Close() {
	r.cancel()
	<-r.done
}

func (r *Rechecks) run(ctx context.Context) {
	defer close(r.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wanted:
			r.round(ctx)
		}
	}
}

func (r *Rechecks) round(ctx context.Context) {
	for _, reader := range r.open.Readers() {
		reason := r.ask(ctx, readerTimeout, reader.KeyID, reader.ProjectID, policy.ActionEvents)
		if ctx.Err() != nil {
			return
		}
		if reason != "" {
			r.open.CloseReader(reader, reason)
		}
	}
}

// ask returns why the streams of a key, or of its reader of a project, end; "" when
// they go on.
func (r *Rechecks) ask(ctx context.Context, most time.Duration, keyID, projectID string, action policy.Action) string {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	d, err := r.sidecar.Decide(ctx, keyID, projectID, action)
	switch {
	case err != nil:
		return streams.ReasonUnchecked
	case d.Allow:
		return ""
	case d.Status != http.StatusUnauthorized:
		return streams.ReasonAccessLost
	case d.Reason == policy.KeyDisabled:
		return streams.ReasonKeyDisabled
	}
	return streams.ReasonKeyRevoked
}

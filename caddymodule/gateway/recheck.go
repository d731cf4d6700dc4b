package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

const (
	// keyTimeout bounds the look at all readers of a key that changed: its streams
	// end within half a second of a revocation, also when no one can be asked.
	keyTimeout = 100 * time.Millisecond
	// readerTimeout bounds the look at one reader of all. It is longer, since most
	// of them have lost nothing, and would all come back at once.
	readerTimeout = 500 * time.Millisecond
	// timedEvery is how often readers are asked about whom the policy lets in by the time.
	timedEvery = 5 * time.Second
)

// Rechecks asks the policy again about those who have event streams open: of keys
// that changed at once, of all readers when the rules change, or what they rest on, and
// now and again where the rules read the time. Streams of those whom the policy no
// longer lets through end. So do the streams of those about whom it can't decide: their
// clients come back and are checked then.
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

// Keys asks of each project whose events a key that changed reads whether it still
// may. It returns when their streams were told.
func (r *Rechecks) Keys(keyIDs []string) {
	for _, id := range keyIDs {
		r.key(id)
	}
}

func (r *Rechecks) key(keyID string) {
	ctx, cancel := context.WithTimeout(context.Background(), keyTimeout)
	defer cancel()
	for _, reader := range r.open.ReadersOf(keyID) {
		if reason := r.ask(ctx, reader); reason != "" {
			r.open.CloseReader(reader, reason)
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
	timed := time.NewTicker(timedEvery)
	defer timed.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wanted:
			r.round(ctx, false)
		case <-timed.C:
			if r.open.Timed() {
				r.round(ctx, true)
			}
		}
	}
}

// round asks about all readers, or about those alone whom the time concerns.
func (r *Rechecks) round(ctx context.Context, timed bool) {
	for _, reader := range r.open.Readers() {
		if timed && !reader.Reach.Timed() {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, readerTimeout)
		reason := r.ask(bounded, reader)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if reason != "" {
			r.open.CloseReader(reader, reason)
		}
	}
}

// ask returns why the streams of a reader end; "" when they go on.
func (r *Rechecks) ask(ctx context.Context, reader streams.Reader) string {
	d, err := r.sidecar.Decide(peer.WithRequest(ctx, reader.Reach.Request), reader.KeyID, reader.ProjectID, policy.ActionEvents)
	switch {
	case err != nil:
		return streams.ReasonUnchecked
	case d.Reads&^reader.Reach.Reads != 0: // more than is known here, as after a change of the rules
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

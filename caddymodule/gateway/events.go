package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// How long a stream waits before it is taken up once more, by the archive or another
// look at the job. The wait doubles while no event comes.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = time.Second
)

// firstWord is how long an engine may take to answer a request for events before
// the stream begins without it: what it answers at once, like a 204, still can be
// the answer.
const firstWord = time.Second

// retryFull is what a client waits whose stream found no room.
const retryFull = 5 * time.Second

// events serves the stream of an ended job from the archive, and that of an
// unfinished one from its engine. The stream ends with stream.closing when its
// key is revoked, the key's user loses access to the project, or the service stops.
func (l *Locator) events(w http.ResponseWriter, r *http.Request, q *Request) error {
	stream, err := l.Streams.Open(streams.Reader{KeyID: q.KeyID, ProjectID: q.ProjectID, Reach: l.reachOf(r.Context(), q.Decision.Reads)})
	if err != nil {
		return noRoom(err)
	}
	taken := false
	defer func() {
		if !taken {
			stream.Done()
		}
	}()
	// The key may have been revoked, or the rules changed, after svc_access looked
	// and before the stream could be told.
	if err := l.decideAgain(r.Context(), q); err != nil {
		return err
	}
	taken = true
	return l.newServing(w, r, q, stream, l.Gate).serve(r, q)
}

// decideAgain returns why the stream of a request that was let in is not opened.
func (l *Locator) decideAgain(ctx context.Context, q *Request) error {
	d, err := l.Sidecar.Decide(ctx, q.KeyID, q.ProjectID, q.Route.Action)
	switch {
	case err != nil:
		return api.Unavailable("Access can't be checked right now.", retrySoon, err)
	case !d.Allow:
		q.Decision = d
		return refusal(d)
	case d.Reads&^q.Decision.Reads != 0: // the stream would not be decided on again by it
		return api.Unavailable("The rules changed meanwhile.", retrySoon, nil)
	}
	return nil
}

// reachOf returns what an event stream's request was let in by, where the policy reads so
// much of it.
func (l *Locator) reachOf(ctx context.Context, reads policy.Reads) sidecar.Reach {
	if reads == 0 || l.Request == nil {
		return sidecar.Reach{Reads: reads}
	}
	return sidecar.ReachOf(reads, l.Request(ctx))
}

// follow serves the events of a job to its owner, whom the caller let in by other
// means than a key, until ended says that this is over; nil: it never is.
func (l *Locator) follow(w http.ResponseWriter, r *http.Request, q *Request, ended func(context.Context) (bool, error)) error {
	stream, err := l.Streams.Open(streams.Reader{UserID: q.UserID, ProjectID: q.ProjectID})
	if err != nil {
		return noRoom(err)
	}
	if ended == nil {
		return l.newServing(w, r, q, stream, nil).stay().serve(r, q)
	}
	gate := newSessionGate(ended)
	ctx, leave := context.WithCancel(r.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		gate.watch(ctx, stream)
	}()
	defer func() {
		leave()
		<-watched
	}()
	return l.newServing(w, r, q, stream, gate).stay().serve(r, q)
}

// noRoom is the 503 of a stream for which the registry has no room: the
// specification closes the list of limits that answer 429.
func noRoom(err error) *api.Error {
	message := "Too many event streams are open right now. Poll the status instead, or try again later."
	var full *streams.FullError
	if errors.As(err, &full) && full.Room == streams.RoomKey {
		message = fmt.Sprintf("This API key has %d event streams open, its limit. Close one, or poll the status instead.", full.Most)
	}
	return api.Unavailable(message, retryFull, err)
}

// sleep waits. It returns false once ctx is done.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

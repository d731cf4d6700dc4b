package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// How long a stream waits before it is taken up once more: from an engine that
// broke off or could not be reached, though it is said to be ready, or from the
// archive, of which nothing tells when it returns. The wait doubles while no event
// comes.
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
func (l *Locator) events(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	stream, err := l.Streams.Open(streams.Reader{KeyID: q.KeyID, ProjectID: q.ProjectID})
	if err != nil {
		return noRoom(err)
	}
	defer stream.Done()
	// The key may have been revoked, or the rules changed, after svc_access looked
	// and before the stream could be told.
	d, err := l.Sidecar.Decide(r.Context(), q.KeyID, q.ProjectID, q.Route.Action)
	if err != nil {
		return api.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	if !d.Allow {
		q.Decision = d
		return refusal(d)
	}
	return l.serveStream(w, r, q, stream, l.Gate, next)
}

// follow serves the events of a job to its owner, whom the caller let in by other
// means than a key, until ended says that this is over; nil: it never is. next
// passes a request on to the engine that q.Lease names.
func (l *Locator) follow(
	w http.ResponseWriter, r *http.Request, q *Request, ended func(context.Context) (bool, error), next Next,
) error {
	stream, err := l.Streams.Open(streams.Reader{UserID: q.UserID, ProjectID: q.ProjectID})
	if err != nil {
		return noRoom(err)
	}
	defer stream.Done()
	if ended == nil {
		return l.serveStream(w, r, q, stream, nil, next)
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
	return l.serveStream(w, r, q, stream, gate, next)
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

// serveStream serves a stream until it is complete, its client leaves or the
// registry ends it.
func (l *Locator) serveStream(w http.ResponseWriter, r *http.Request, q *Request, stream *streams.Stream, gate streams.Gate, next Next) error {
	ctx, cancel := context.WithCancel(r.Context())
	r = withoutBody(r.WithContext(ctx))
	out := streams.NewWriter(ctx, w, gate)
	if l.Ended != nil {
		out.Final = func() { l.Ended(q.Route.JobID) }
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case reason := <-stream.Closing():
			out.End(reason)
			cancel()
		case <-ctx.Done():
		}
	}()
	defer func() {
		cancel()
		<-watched
	}()
	err := untilEnded(out, func() error { return l.stream(out, r, q, next) })
	if out.MustAbort() && r.Method != http.MethodHead {
		panic(http.ErrAbortHandler) // the server then leaves the body without its end
	}
	if err == nil || !out.Started() || ctx.Err() != nil {
		return err
	}
	if l.StreamBroken != nil {
		l.StreamBroken(q.Route.JobID, err)
	}
	return nil // an error's body would stand in the stream
}

// withoutBody returns r without the body that some clients send with every request:
// it can't be sent again when the stream is taken up by another source.
func withoutBody(r *http.Request) *http.Request {
	r.Body, r.ContentLength, r.TransferEncoding, r.Trailer = http.NoBody, 0, nil, nil
	for _, name := range []string{"Content-Length", "Content-Type", "Transfer-Encoding", "Trailer", "Expect"} {
		r.Header.Del(name)
	}
	return r
}

// untilEnded runs a handler and takes the end of the stream that we made
// ourselves for a good one: reverse_proxy panics when it is cut off.
func untilEnded(out *streams.Writer, serve func() error) (err error) {
	defer func() {
		if !out.Ended() {
			return
		}
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
		err = nil
		out.Conclude()
	}()
	return serve()
}

// stream serves the events. While the engine is down, or stopped, it stays open and
// beats: a browser's EventSource gives up for good on an error. One that dies while
// it sends is taken up again where it broke off. A HEAD is told that there is a
// stream, for which no engine is asked.
func (l *Locator) stream(out *streams.Writer, r *http.Request, q *Request, next Next) error {
	if q.Job.Settled {
		return l.archivedEvents(out, r, q)
	}
	if r.Method == http.MethodHead {
		_ = out.Begin() // else the client left
		return nil
	}
	defer out.Beat(firstWord)()
	served, err := l.liveEvents(out, r, q, next)
	if served && err == nil && r.Context().Err() == nil {
		served = out.Started() // else the engine broke off before it said a word
	}
	last, broken := out.Resume()
	switch {
	case served && !broken, !served && err != nil:
		return err
	case !served:
		if err := out.Begin(); err != nil {
			return nil // the client left
		}
	}
	resumeAfter(r, last)
	return l.resume(out, r, q, next)
}

// resume goes on with a stream whose header is sent, until it is complete.
func (l *Locator) resume(out *streams.Writer, r *http.Request, q *Request, next Next) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		if err := out.Comment("waiting for the engine"); err != nil {
			return nil // the client left
		}
		if !l.awaitChange(r.Context(), q) {
			return nil
		}
		served, err := l.restOfEvents(out, r, q, next)
		if err != nil {
			return err
		}
		last, broken := out.Resume()
		if served && !broken {
			return nil
		}
		if resumeAfter(r, last) {
			pause = retryFirst
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil
		}
	}
}

// restOfEvents serves what follows, from wherever it is now. Where that can't
// be reached, served is false: the client has a good stream, and keeps it.
func (l *Locator) restOfEvents(w *streams.Writer, r *http.Request, q *Request, next Next) (served bool, err error) {
	if !q.Job.Settled {
		return l.liveEvents(w, r, q, next)
	}
	err = l.archivedEvents(w, r, q)
	if errors.Is(err, engineproxy.ErrUnreachable) {
		return false, nil
	}
	return true, err
}

// resumeAfter makes r ask for the events after the last one that was passed on, 0 for
// none. It reports whether that is another one than r asked for.
func resumeAfter(r *http.Request, last uint64) bool {
	id := strconv.FormatUint(last, 10)
	if last == 0 || r.Header.Get("Last-Event-ID") == id {
		return false
	}
	r.Header.Set("Last-Event-ID", id)
	return true
}

// liveEvents passes the request to the engine if there is one to pass it to.
func (l *Locator) liveEvents(w http.ResponseWriter, r *http.Request, q *Request, next Next) (served bool, err error) {
	lease, err := l.Engines.Attach(r.Context(), q.ProjectID)
	if err != nil {
		return false, nil // absent, starting, failed, out of reach: it may return
	}
	defer lease.Release()
	q.Lease = lease
	err = untilBroken(r.Context(), func() error { return next(w, forEngine(r, q)) })
	if err != nil && r.Context().Err() == nil {
		return false, nil // it is gone or going, and no one has noticed yet
	}
	return true, err
}

// untilBroken runs the proxy and takes the engine's breaking off for an end:
// the client is still there, and the rest of the events will be.
func untilBroken(ctx context.Context, serve func() error) (err error) {
	defer func() {
		if ctx.Err() != nil {
			return // the client left, or we ended the stream
		}
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	return serve()
}

// awaitChange waits for the engine, or for a heartbeat's time, and reads the
// job again. It returns false once the client has left.
func (l *Locator) awaitChange(ctx context.Context, q *Request) bool {
	wait, done := context.WithTimeout(ctx, sse.DefaultHeartbeat)
	defer done()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := l.Sidecar.AwaitEnd(wait, q.Route.JobID); err == nil {
			done()
		}
	}()
	// Its error is the wait's end; either way the job and the engine are
	// looked at again.
	_ = l.Engines.AwaitReady(wait, q.ProjectID)
	done()
	<-ended
	if ctx.Err() != nil {
		return false
	}
	job, err := l.Sidecar.Job(ctx, q.Route.JobID)
	if errors.Is(err, sidecar.ErrUnknownJob) {
		return false
	}
	if err == nil {
		q.Job = &job
	}
	return true
}

func (l *Locator) archivedEvents(w http.ResponseWriter, r *http.Request, q *Request) error {
	log, err := l.Engines.Events(r.Context(), q.Route.JobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		return &api.Error{Status: http.StatusNotFound, Message: "The job's events are no longer kept."}
	}
	if err != nil {
		return api.Unavailable("The job's events can't be read right now.", retrySoon, err)
	}
	return sse.Serve(w, r, log, sse.Options{})
}

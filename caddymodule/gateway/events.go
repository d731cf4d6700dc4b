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
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
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
	defer stream.Done()
	// The key may have been revoked, or the rules changed, after svc_access looked
	// and before the stream could be told.
	d, err := l.Sidecar.Decide(r.Context(), q.KeyID, q.ProjectID, q.Route.Action)
	if err != nil {
		return api.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	switch {
	case !d.Allow:
		q.Decision = d
		return refusal(d)
	case d.Reads&^q.Decision.Reads != 0: // the stream would not be decided on again by it
		return api.Unavailable("The rules changed meanwhile.", retrySoon, nil)
	}
	return l.serveStream(w, r, q, stream, l.Gate)
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
	defer stream.Done()
	if ended == nil {
		return l.serveStream(w, r, q, stream, nil)
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
	return l.serveStream(w, r, q, stream, gate)
}

// noRoom is the 503 of a stream for which the registry has no room: the
// specification closes the list of limits that answer 429.
func noRoom(err error) *api.Error {
	message := "Too many event streams are open right now. Poll the status instead, or try again later."
	if full, ok := errors.AsType[*streams.FullError](err); ok && full.Room == streams.RoomKey {
		message = fmt.Sprintf("This API key has %d event streams open, its limit. Close one, or poll the status instead.", full.Most)
	}
	return api.Unavailable(message, retryFull, err)
}

// serveStream serves a stream until it is complete, its client leaves or the
// registry ends it. It has no goroutine but the request's own.
func (l *Locator) serveStream(w http.ResponseWriter, r *http.Request, q *Request, stream *streams.Stream, gate streams.Gate) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	r = withoutBody(r.WithContext(ctx))
	out := streams.NewWriter(ctx, w, gate)
	if l.Ended != nil {
		out.Final = func() { l.Ended(q.Route.JobID) }
	}
	stream.OnEnd(func() {
		out.Hurry()
		cancel()
	})
	err := l.stream(out, r, q)
	select {
	case reason := <-stream.Closing():
		out.End(reason)
		out.Conclude()
		err = nil
	default:
	}
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

// unknownID is the event of a stream that begins at the beginning, because its client
// named an id that is none.
const unknownID = "event: " + api.StreamReset + "\ndata: {\"type\":\"" + api.StreamReset + "\",\"reason\":\"unknown_id\"}\n\n"

// stream serves the events. While the engine is down, or stopped, it stays open and
// beats: a browser's EventSource gives up for good on an error. One whose engine dies
// goes on where it was. A HEAD is told that there is a stream, for which no engine is
// asked.
func (l *Locator) stream(out *streams.Writer, r *http.Request, q *Request) error {
	if q.Job.Settled {
		return l.archivedEvents(out, r, q)
	}
	if r.Method == http.MethodHead {
		_ = out.Begin() // else the client left
		return nil
	}
	defer out.Beat(firstWord)()
	after, valid := sse.Position(r)
	if !valid {
		after = 0
		if out.Event([]byte(unknownID), 0, false) != nil || out.FlushError() != nil {
			return nil // the client left
		}
	}
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		before := after
		reader := l.Jobs.Join(joblog.Job{ID: q.Route.JobID, ProjectID: q.ProjectID}, after)
		if reader != nil {
			var over bool
			if after, over = live(r.Context(), out, reader); over {
				return nil
			}
		} else if !out.Started() { // else it waits for room
			return noRoom(fmt.Errorf("no more jobs can be followed: %w", &streams.FullError{Room: streams.RoomGateway, Most: l.Streams.Len()}))
		}
		job, err := l.Sidecar.Job(r.Context(), q.Route.JobID)
		if errors.Is(err, sidecar.ErrUnknownJob) {
			return nil
		}
		if err == nil && job.Settled {
			q.Job = &job
			return l.restFromArchive(out, r, q, after)
		}
		if after != before {
			pause = retryFirst
		}
		if !peer.Sleep(r.Context(), pause) {
			return nil
		}
	}
}

// live passes a reader's events on, from where the job runs, until the stream is over or
// the rest may be elsewhere. It returns how far the client came.
func live(ctx context.Context, out *streams.Writer, reader *joblog.Reader) (last uint64, over bool) {
	defer reader.Leave()
	var room [8]joblog.Event
	for {
		events, state := reader.Read(room[:0])
		if ctx.Err() != nil || state.Waits && waiting(out) != nil {
			return 0, true
		}
		if state.Outside && state.Answered && state.Over != joblog.Elsewhere {
			var err error
			if events, err = reader.Page(ctx); err != nil && !errors.Is(err, joblog.ErrNoMore) {
				return reader.After(), ctx.Err() != nil
			} else if err != nil {
				state.Over = joblog.Complete
			} else if len(events) == 0 {
				continue // the window came to where the reader is
			}
		}
		if len(events) > 0 {
			if passOn(out, events) != nil || out.Complete() {
				return 0, true
			}
			continue
		}
		switch {
		case state.Over == joblog.Complete:
			out.WriteHeader(http.StatusNoContent) // what a stream that has begun ends with otherwise
			return 0, true
		case state.Over == joblog.Elsewhere:
			return reader.After(), false
		case state.Answered && out.Begin() != nil:
			return 0, true
		}
		select {
		case <-state.Changed:
		case <-ctx.Done():
		}
	}
}

// passOn sends events, and lets go of each: a client may take its time, or wait for days
// for the next one. An error means that the client left, or the stream ended.
func passOn(out *streams.Writer, events []joblog.Event) error {
	for i, e := range events {
		if err := out.Event(e.Block, e.ID, e.Terminal); err != nil {
			return err
		}
		events[i] = joblog.Event{}
	}
	return out.FlushError()
}

// waiting tells the client that its stream goes on, later.
func waiting(out *streams.Writer) error {
	if err := out.Begin(); err != nil {
		return err
	}
	return out.Comment("waiting for the engine")
}

// restFromArchive serves what follows after from the archive, of which nothing says
// when it returns if it can't be reached: the client has a good stream, and keeps it.
func (l *Locator) restFromArchive(out *streams.Writer, r *http.Request, q *Request, after uint64) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(after, 10))
		err := l.archivedEvents(out, r, q)
		last, broken := out.Resume()
		if err != nil && !errors.Is(err, engineproxy.ErrUnreachable) || err == nil && !broken {
			return err
		}
		if last > after {
			after, pause = last, retryFirst
		}
		if waiting(out) != nil || !peer.Sleep(r.Context(), pause) {
			return nil // the client left
		}
	}
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

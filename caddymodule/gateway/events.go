package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
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
	served := false
	defer func() {
		if !served {
			stream.Done()
		}
	}()
	// The key may have been revoked, or the rules changed, after svc_access looked
	// and before the stream could be told.
	d, err := l.Sidecar.Decide(r.Context(), q.KeyID, q.ProjectID, q.Route.Action)
	if err != nil {
		return answers.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	switch {
	case !d.Allow:
		q.Decision = d
		return refusal(d)
	case d.Reads&^q.Decision.Reads != 0: // the stream would not be decided on again by it
		return answers.Unavailable("The rules changed meanwhile.", retrySoon, nil)
	}
	served = true
	s := l.newServing(w, r, stream, l.Gate)
	s.stall, s.detaches = l.mayDetach(w, r)
	return s.serve(r, q)
}

// reachOf returns what an event stream's request was let in by, where the policy reads so
// much of it.
func (l *Locator) reachOf(ctx context.Context, reads policy.Reads) sidecar.Reach {
	if reads == 0 || l.Request == nil {
		return sidecar.Reach{Reads: reads}
	}
	return sidecar.ReachOf(reads, l.Request(ctx))
}

// noRoom is the 503 of a stream for which the registry has no room: the
// specification closes the list of limits that answer 429.
func noRoom(err error) *answers.Error {
	message := "Too many event streams are open right now. Poll the status instead, or try again later."
	if full, ok := errors.AsType[*streams.FullError](err); ok && full.Room == streams.RoomKey {
		message = fmt.Sprintf("This API key has %d event streams open, its limit. Close one, or poll the status instead.", full.Most)
	}
	return answers.Unavailable(message, retryFull, err)
}

// serving is an event stream that is being served: by its request's goroutine and, once
// it is detached, by one that is there while there is something to send.
type serving struct {
	*Locator
	stream *streams.Stream
	out    *streams.Writer
	of     streamed
	cancel context.CancelFunc // of what is done for the stream

	after    uint64         // how far the client came
	reader   *joblog.Reader // nil: to be had
	detaches bool           // when nothing was left to send for a while
	detached bool           // so that nothing that is left to send has it parked
	stall    time.Duration  // how long its client may then take nothing, 0 for ever
	stopBeat func()         // of the stream once it is detached

	changed <-chan struct{} // what the reader waits for

	mu     sync.Mutex // guards parked
	parked bool       // detached, without a goroutine
}

// streamed is the job whose events a stream has.
type streamed struct{ JobID, ProjectID string }

// newServing takes a stream over, which serve gives back.
func (l *Locator) newServing(w http.ResponseWriter, r *http.Request, stream *streams.Stream, gate streams.Gate) *serving {
	ctx, cancel := context.WithCancel(r.Context())
	s := &serving{Locator: l, stream: stream, out: streams.NewWriter(ctx, w, gate), cancel: cancel}
	s.endWithStream()
	return s
}

// endWithStream has what is done for the stream end when the registry ends that.
func (s *serving) endWithStream() {
	cancel := s.cancel
	s.stream.OnEnd(func() {
		s.out.Hurry()
		cancel()
		s.wake()
	})
}

// wake has a parked stream served again.
func (s *serving) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parked {
		s.parked = false
		go s.run(s.of)
	}
}

// done gives all back.
func (s *serving) done() {
	if s.reader != nil {
		s.reader.Leave()
	}
	s.cancel()
	s.stream.Done()
}

// serve serves the stream until it is complete, its client leaves, the registry ends it,
// or it is detached, if it may be. An *answers.Error is of one that could not begin.
func (s *serving) serve(r *http.Request, q *Request) error {
	ctx := s.out.Context()
	r = withoutBody(r.WithContext(ctx))
	s.of = streamed{q.Route.JobID, q.ProjectID}
	if s.Ended != nil {
		s.out.Final = func() { s.Ended(s.of.JobID) }
	}
	detached, stopBeat := false, func() {}
	defer func() {
		if !detached {
			stopBeat()
			s.done()
		}
	}()
	var err error
	switch {
	case q.Job.Settled:
		err = s.archivedEvents(s.out, r, q.Route.JobID)
	case r.Method == http.MethodHead: // it is told that there is a stream, for which no engine is asked
		_ = s.out.Begin() // else the client left
	default:
		s.out.Closes = s.detaches
		stopBeat = s.out.Beat(firstWord)
		if detached, err = s.live(r, streamed{JobID: q.Route.JobID, ProjectID: q.ProjectID}, stopBeat); detached {
			return nil
		}
	}
	stopBeat()
	left := ctx.Err() != nil
	if s.conclude() {
		err = nil
	}
	if s.out.MustAbort() && r.Method != http.MethodHead {
		panic(http.ErrAbortHandler) // the server then leaves the body without its end
	}
	if err == nil || !s.out.Started() || left {
		return err
	}
	s.broke(err)
	return nil // an error's body would stand in the stream
}

// conclude tells the client why the registry ended the stream, if it did.
func (s *serving) conclude() bool {
	select {
	case reason := <-s.stream.Closing():
		s.out.End(reason)
		s.out.Conclude()
		return true
	default:
		return false
	}
}

func (s *serving) broke(err error) {
	if s.StreamBroken != nil {
		s.StreamBroken(s.of.JobID, err)
	}
}

// mayDetach reports whether the stream of a request can leave its server, and how long its
// client may then take nothing of it. What is left of a body would come from the
// connection, and a client of HTTP/1.0 knows no chunks.
func (l *Locator) mayDetach(w http.ResponseWriter, r *http.Request) (stall time.Duration, ok bool) {
	if r.ProtoMajor != 1 || !r.ProtoAtLeast(1, 1) || r.ContentLength != 0 || !streams.Detachable(w) {
		return 0, false
	}
	if l.Stall == nil {
		return 0, true
	}
	return l.Stall(r.Context())
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

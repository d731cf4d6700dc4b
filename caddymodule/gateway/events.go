package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
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

// restsAfter is how long nothing is sent before a stream is detached: one that has all its
// events at once stays as it is.
const restsAfter = 100 * time.Millisecond

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

// live serves the events of a job that has not ended. While the engine is down, or
// stopped, the stream stays open and beats, until stopBeat: a browser's EventSource gives
// up for good on an error. One whose engine dies goes on where it was.
func (s *serving) live(r *http.Request, q streamed, stopBeat func()) (detached bool, err error) {
	after, valid := sse.Position(r)
	if !valid {
		after = 0
		if s.out.Event([]byte(unknownID), 0, false) != nil || s.out.FlushError() != nil {
			return false, nil // the client left
		}
	}
	s.after = after
	for {
		idle, err := s.goOn(r.Context(), q)
		if !idle {
			return false, err
		}
		if s.detach(r, q, stopBeat) {
			return true, nil
		}
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

// unknownID is the event of a stream that begins at the beginning, because its client
// named an id that is none.
const unknownID = "event: " + api.StreamReset + "\ndata: {\"type\":\"" + api.StreamReset + "\",\"reason\":\"unknown_id\"}\n\n"

// goOn serves what comes. idle says that nothing is left to send to a stream that is
// detached, or that nothing was for a while to one that may be; else it is over, with why.
func (s *serving) goOn(ctx context.Context, q streamed) (idle bool, err error) {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		before := s.after
		if s.reader == nil {
			s.reader = s.Jobs.Join(joblog.Job{ID: q.JobID, ProjectID: q.ProjectID}, s.after)
		}
		if s.reader != nil {
			is := s.read(ctx)
			if is == isIdle {
				return true, nil
			}
			s.after = s.reader.After()
			s.reader.Leave()
			s.reader = nil
			if is == isOver {
				return false, nil
			}
		} else if !s.out.Started() { // else it waits for room
			return false, noRoom(fmt.Errorf("no more jobs can be followed: %w", &streams.FullError{Room: streams.RoomGateway, Most: s.Streams.Len()}))
		}
		job, err := s.Sidecar.Job(ctx, q.JobID)
		if errors.Is(err, sidecar.ErrUnknownJob) {
			return false, nil
		}
		if err == nil && job.Settled {
			return false, s.restFromArchive(ctx, q)
		}
		if s.after != before {
			pause = retryFirst
		}
		if !peer.Sleep(ctx, pause) {
			return false, nil
		}
	}
}

// standing is how a stream stands that is read from where the job runs.
type standing int

const (
	isOver      standing = iota
	isIdle               // nothing is left to send, as goOn says
	isElsewhere          // the rest is
)

// read passes the reader's events on, from where the job runs.
func (s *serving) read(ctx context.Context) standing {
	var room [8]joblog.Event
	for {
		events, state := s.reader.Read(room[:0])
		if ctx.Err() != nil || state.Waits && waiting(s.out) != nil {
			return isOver
		}
		if state.Outside && state.Answered && state.Over != joblog.Elsewhere {
			var err error
			if events, err = s.reader.Page(ctx); err != nil && !errors.Is(err, joblog.ErrNoMore) {
				if ctx.Err() != nil {
					return isOver
				}
				return isElsewhere
			} else if err != nil {
				state.Over = joblog.Complete
			} else if len(events) == 0 {
				continue // the window came to where the reader is
			}
		}
		if len(events) > 0 {
			if passOn(s.out, events) != nil || s.out.Complete() {
				return isOver
			}
			continue
		}
		switch {
		case state.Over == joblog.Complete:
			s.out.WriteHeader(http.StatusNoContent) // what a stream that has begun ends with otherwise
			return isOver
		case state.Over == joblog.Elsewhere:
			return isElsewhere
		case state.Answered && s.out.Begin() != nil:
			return isOver
		}
		s.changed = state.Changed
		if s.detached || s.await(ctx) {
			return isIdle
		}
	}
}

// await waits for more. rests says that none came for long enough to detach the stream.
func (s *serving) await(ctx context.Context) (rests bool) {
	var begun <-chan struct{} // by its beat, while its engine says nothing
	var rest <-chan time.Time
	if s.detaches {
		if begun = s.out.Begun(); begun == nil {
			rest = time.After(restsAfter)
		}
	}
	select {
	case <-rest:
		return true
	case <-s.changed:
	case <-begun:
	case <-ctx.Done():
	}
	return false
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

package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
)

// serving is an event stream that is being served: by its request's goroutine and, once
// nothing is left to send, by one of its own.
type serving struct {
	*Locator
	job    joblog.Job
	stream *streams.Stream
	out    *streams.Writer
	cancel context.CancelFunc // of what is done for the stream
	stays  bool               // with the request's goroutine

	after  uint64         // how far the client came
	reader *joblog.Reader // nil: to be had
}

// newServing takes a stream over, which serve gives back.
func (l *Locator) newServing(w http.ResponseWriter, r *http.Request, q *Request, stream *streams.Stream, gate streams.Gate) *serving {
	ctx, cancel := context.WithCancel(r.Context())
	s := &serving{
		Locator: l, job: joblog.Job{ID: q.Route.JobID, ProjectID: q.ProjectID},
		stream: stream, out: streams.NewWriter(ctx, w, gate), cancel: cancel,
	}
	if l.Ended != nil {
		s.out.Final = func() { l.Ended(s.job.ID) }
	}
	s.endWithStream(cancel)
	return s
}

// stay has the stream served by the request's goroutine alone.
func (s *serving) stay() *serving {
	s.stays = true
	return s
}

// endWithStream has what is done for the stream end when the registry ends that.
func (s *serving) endWithStream(cancel context.CancelFunc) {
	s.stream.OnEnd(func() {
		s.out.Hurry()
		cancel()
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
// or another goroutine goes on with it. An *api.Error is of one that could not begin.
func (s *serving) serve(r *http.Request, q *Request) error {
	ctx := s.out.Context()
	r = withoutBody(r.WithContext(ctx))
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
		err = s.archivedEvents(s.out, r, s.job.ID)
	case r.Method == http.MethodHead: // it is told that there is a stream, for which no engine is asked
		_ = s.out.Begin() // else the client left
	default:
		stopBeat = s.out.Beat(firstWord)
		if detached, err = s.live(r, stopBeat); detached {
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
		s.StreamBroken(s.job.ID, err)
	}
}

// unknownID is the event of a stream that begins at the beginning, because its client
// named an id that is none.
const unknownID = "event: " + api.StreamReset + "\ndata: {\"type\":\"" + api.StreamReset + "\",\"reason\":\"unknown_id\"}\n\n"

// live serves the events of a job that has not ended. While the engine is down, or
// stopped, the stream stays open and beats, until stopBeat: a browser's EventSource gives
// up for good on an error. One whose engine dies goes on where it was.
func (s *serving) live(r *http.Request, stopBeat func()) (detached bool, err error) {
	after, valid := sse.Position(r)
	if !valid {
		after = 0
		if s.out.Event([]byte(unknownID), 0, false) != nil || s.out.FlushError() != nil {
			return false, nil // the client left
		}
	}
	s.after = after
	for {
		idle, err := s.goOn(r.Context())
		if !idle {
			return false, err
		}
		if s.detach(r, stopBeat) {
			return true, nil
		}
	}
}

// detach has a goroutine of its own go on with the stream, which takes a tenth of the
// memory that the server keeps for a request. It is tried once.
func (s *serving) detach(r *http.Request, stopBeat func()) bool {
	s.stays = true
	ctx, cancel := context.WithCancel(peer.WithRequest(context.Background(), peer.RequestOf(r.Context())))
	if r.ProtoMajor != 1 || !r.ProtoAtLeast(1, 1) || !s.out.Detach(ctx, cancel) {
		cancel()
		return false
	}
	s.cancel()
	s.cancel = cancel
	s.endWithStream(cancel)
	go s.serveDetached(ctx, stopBeat)
	return true
}

func (s *serving) serveDetached(ctx context.Context, stopBeat func()) {
	whole := false
	defer func() {
		if p := recover(); p != nil {
			s.broke(fmt.Errorf("serving it panicked: %v\n%s", p, debug.Stack()))
		}
		stopBeat()
		s.done()
		s.out.Close(whole)
	}()
	_, err := s.goOn(ctx)
	left := ctx.Err() != nil
	if s.conclude() {
		err = nil
	}
	if err != nil && !left {
		s.broke(err)
	}
	whole = err == nil && !s.out.MustAbort()
}

// goOn serves what comes. idle says that nothing is left to send and that the stream may
// be detached; else it is over, with why.
func (s *serving) goOn(ctx context.Context) (idle bool, err error) {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		before := s.after
		if s.reader == nil {
			s.reader = s.Jobs.Join(s.job, s.after)
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
		job, err := s.Sidecar.Job(ctx, s.job.ID)
		if errors.Is(err, sidecar.ErrUnknownJob) {
			return false, nil
		}
		if err == nil && job.Settled {
			return false, s.restFromArchive(ctx)
		}
		if s.after != before {
			pause = retryFirst
		}
		if !sleep(ctx, pause) {
			return false, nil
		}
	}
}

// standing is how a stream stands that is read from where the job runs.
type standing int

const (
	isOver      standing = iota
	isIdle               // nothing is left to send, and it may be detached
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
		case !s.stays && s.out.Started():
			return isIdle
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

// restFromArchive serves what follows from the archive, of which nothing says when it
// returns if it can't be reached: the client has a good stream, and keeps it.
func (s *serving) restFromArchive(ctx context.Context) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		r := (&http.Request{Method: http.MethodGet, Header: http.Header{"Last-Event-Id": {strconv.FormatUint(s.after, 10)}}}).WithContext(ctx)
		err := s.archivedEvents(s.out, r, s.job.ID)
		last, broken := s.out.Resume()
		if err != nil && !errors.Is(err, engineproxy.ErrUnreachable) || err == nil && !broken {
			return err
		}
		if last > s.after {
			s.after, pause = last, retryFirst
		}
		if waiting(s.out) != nil || !sleep(ctx, pause) {
			return nil // the client left
		}
	}
}

func (l *Locator) archivedEvents(w http.ResponseWriter, r *http.Request, jobID string) error {
	log, err := l.Engines.Events(r.Context(), jobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		return &api.Error{Status: http.StatusNotFound, Message: "The job's events are no longer kept."}
	}
	if err != nil {
		return api.Unavailable("The job's events can't be read right now.", retrySoon, err)
	}
	return sse.Serve(w, r, log, sse.Options{})
}

// withoutBody returns r without the body that some clients send with every request: what
// is read of the connection from now on says that the client left.
func withoutBody(r *http.Request) *http.Request {
	r.Body, r.ContentLength, r.TransferEncoding, r.Trailer = http.NoBody, 0, nil, nil
	for _, name := range []string{"Content-Length", "Content-Type", "Transfer-Encoding", "Trailer", "Expect"} {
		r.Header.Del(name)
	}
	return r
}

package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
)

// How long a stream waits before it is taken up once more, by the archive or another
// look at the job. The wait doubles while no event comes.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = time.Second
)

// restsAfter is how long nothing is sent before a stream is detached: one that has all its
// events at once stays as it is.
const restsAfter = 100 * time.Millisecond

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

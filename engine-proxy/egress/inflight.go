package egress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// endGrace is what calls may still take that are under way when their job
	// ends: an engine waits for its own, so there is none but in a race.
	endGrace = time.Second
	// endMemory is how long a job is remembered that has ended. By then the
	// ledger knows of it and grants nothing to it.
	endMemory = 5 * time.Minute
)

var errJobEnded = errors.New("the job that pays has ended")

// inFlight is the calls of one project that were granted and are not finished.
// The zero value is ready.
type inFlight struct {
	mu    sync.Mutex // guards what follows
	calls map[*activeCall]struct{}
	ended map[string]time.Time // jobs for which no call begins any more
}

// activeCall is one call under way.
type activeCall struct {
	job    string
	cancel context.CancelCauseFunc
	writer *http.ResponseController // to the engine
	done   chan struct{}
}

// enter notes a call that is granted, unless its job has ended. The context ends
// when the job does; leave has to be called.
func (u *inFlight) enter(ctx context.Context, w http.ResponseWriter, job string) (context.Context, *activeCall, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ended := u.ended[job]; ended {
		return nil, nil, errJobEnded
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p := &activeCall{job: job, cancel: cancel, writer: http.NewResponseController(w), done: make(chan struct{})}
	if u.calls == nil {
		u.calls = make(map[*activeCall]struct{})
	}
	u.calls[p] = struct{}{}
	return ctx, p, nil
}

// leave notes that a call is finished.
func (u *inFlight) leave(p *activeCall) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.calls, p)
	p.cancel(nil)
	close(p.done)
}

// end lets no further call begin for a job, and returns when none is under way:
// after a second it breaks them off. It returns ctx's error when that ends before.
func (u *inFlight) end(ctx context.Context, job string, now time.Time) error {
	open := u.close(job, now)
	if len(open) == 0 {
		return nil
	}
	grace := time.AfterFunc(endGrace, func() { u.breakOff(job) })
	defer grace.Stop()
	for _, p := range open {
		select {
		case <-p.done:
		case <-ctx.Done():
			return fmt.Errorf("waiting for calls under way: %w", ctx.Err())
		}
	}
	return nil
}

// close lets no further call begin for a job, and returns those under way.
func (u *inFlight) close(job string, now time.Time) []*activeCall {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended == nil {
		u.ended = make(map[string]time.Time)
	}
	u.forgetLocked(now)
	u.ended[job] = now
	var open []*activeCall
	for p := range u.calls {
		if p.job == job {
			open = append(open, p)
		}
	}
	return open
}

// forgetLocked forgets the jobs that ended long ago.
func (u *inFlight) forgetLocked(now time.Time) {
	for id, at := range u.ended {
		if now.Sub(at) > endMemory {
			delete(u.ended, id)
		}
	}
}

// idle reports whether no call is under way, and no ended job remembered.
func (u *inFlight) idle(now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forgetLocked(now)
	return len(u.calls) == 0 && len(u.ended) == 0
}

// breakOff ends the calls of a job, also one whose engine does not read.
func (u *inFlight) breakOff(job string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for p := range u.calls {
		if p.job == job {
			p.cancel(errJobEnded)
			_ = p.writer.SetWriteDeadline(time.Unix(1, 0)) // of a connection that is closed there is no need
		}
	}
}

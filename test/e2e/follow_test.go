package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/wait"
)

// follower reads the events of a job: when its connection ends it asks again for
// what follows the last event that it has, and once more after a 503, at which a
// browser would give up.
type follower struct {
	read atomic.Int64 // events so far
	done chan struct{}

	// These are its own until done is closed.
	records []sse.Record
	asked   int          // streams that it was given
	refused int          // times that it got a 503 instead
	got     bytes.Buffer // all that came, comments included
	err     error

	closings []string // what the service said of the streams that it closed
}

// follow begins to follow a job, and returns when its first event is there.
func (s *service) follow(key apiKey, sub api.Submission) *follower {
	s.t.Helper()
	ctx, cancel := wait.Within(s.t.Context(), 2*wait.Patience)
	s.t.Cleanup(cancel)
	f := &follower{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.err = f.run(ctx, func() (*http.Request, error) {
			path := "/v1/generate/" + sub.JobID + "/events?projectId=" + sub.ProjectID
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
			if err == nil {
				r.Header.Set("X-API-Key", key.Secret)
			}
			return r, err
		})
	}()
	s.eventually("a stream begins", func() bool { return f.read.Load() > 0 })
	return f
}

// run reads until the job's last event.
func (f *follower) run(ctx context.Context, request func() (*http.Request, error)) error {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		r, err := request()
		if err != nil {
			return err
		}
		if n := len(f.records); n > 0 {
			r.Header.Set("Last-Event-ID", itoa(f.records[n-1].ID))
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			var ended bool
			if ended, err = f.take(resp); ended || err != nil {
				return err
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("after %d events: %w", len(f.records), context.Cause(ctx))
		}
	}
}

// take reads one answer, and reports whether the last event was in it.
func (f *follower) take(resp *http.Response) (ended bool, err error) {
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		f.asked++
	case http.StatusServiceUnavailable:
		f.refused++
		return false, nil
	default:
		return false, fmt.Errorf("after %d events: %s", len(f.records), resp.Status)
	}
	events := sse.NewReader(io.TeeReader(resp.Body, &f.got))
	for {
		event, err := events.Next()
		if err != nil {
			return false, nil // it is cut off
		}
		switch event.Type {
		case api.StreamClosing: // of the connection, which is cut: no position to go on from
			f.closings = append(f.closings, string(event.Data))
			continue
		case api.StreamReset:
			return false, fmt.Errorf("after %d events the log began anew: %s", len(f.records), event.Data)
		}
		f.records = append(f.records, event)
		f.read.Add(1)
		if api.TerminalEvent(event.Type) {
			return true, nil
		}
	}
}

// comesBack is what the service says of a stream that it closes for its own sake, whose
// client goes on with another one.
var comesBack = regexp.MustCompile(`"reason":"(shutdown|key_unchecked)"`)

// whole waits for the end and checks that nothing is lost or repeated.
func (s *service) whole(f *follower) {
	s.t.Helper()
	<-f.done
	for _, said := range f.closings {
		if !comesBack.MatchString(said) {
			s.t.Errorf("the service closed a stream that it should have carried on: %s", said)
		}
	}
	if f.err != nil {
		s.t.Fatal(f.err)
	}
	checkLog(s.t, f.records)
}

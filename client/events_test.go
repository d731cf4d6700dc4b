package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
)

func block(seq uint64, eventType string) string {
	data, err := json.Marshal(api.Event{Type: eventType, Seq: seq, JobID: testJob, ProjectID: testProject})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", seq, eventType, data)
}

// streams is a service whose n-th event stream is the n-th text, then cut.
type streams struct {
	texts   []string
	resumed []string // Last-Event-ID of each connection
	status  func(w http.ResponseWriter)
}

func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/status") {
		s.status(w)
		return
	}
	n := len(s.resumed)
	s.resumed = append(s.resumed, r.Header.Get("Last-Event-ID"))
	switch {
	case n >= len(s.texts):
		w.WriteHeader(http.StatusNoContent)
	case s.texts[n] == "401":
		writeJSON(w, 401, map[string]string{"error": "No.", "reason": "revoked"})
	case s.texts[n] == "503":
		writeJSON(w, 503, map[string]string{"error": "No."})
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": ok\n\n"+s.texts[n])
	}
}

func collect(ctx context.Context, c *Client) (types []string, err error) {
	for event, failed := range c.Events(ctx, Job{ID: testJob, ProjectID: testProject}, 0) {
		if failed != nil {
			return types, failed
		}
		types = append(types, fmt.Sprintf("%d %s", event.Seq, event.Type))
	}
	return types, nil
}

func TestEventsComeOnceAndInOrderOverCutStreams(t *testing.T) {
	for _, tt := range []struct {
		name    string
		texts   []string
		want    []string
		resumed []string
	}{
		{"one stream", []string{block(1, "job.queued") + block(2, "job.completed")},
			[]string{"1 job.queued", "2 job.completed"}, []string{""}},
		{"cut between events", []string{block(1, "job.queued"), block(2, "job.failed")},
			[]string{"1 job.queued", "2 job.failed"}, []string{"", "1"}},
		{"cut inside an event", []string{block(1, "job.queued") + block(2, "job.started")[:30], block(2, "job.started") + block(3, "job.cancelled")},
			[]string{"1 job.queued", "2 job.started", "3 job.cancelled"}, []string{"", "1"}},
		{"repeated events", []string{block(1, "job.queued") + block(1, "job.queued") + block(2, "job.started"), block(1, "job.queued") + block(2, "job.started") + block(3, "job.completed")},
			[]string{"1 job.queued", "2 job.started", "3 job.completed"}, []string{"", "2"}},
		{"ended meanwhile", []string{block(1, "job.queued")}, []string{"1 job.queued"}, []string{"", "1"}},
		{"closing", []string{block(1, "job.queued") + "event: stream.closing\ndata: {\"type\":\"stream.closing\"}\n\n", block(2, "job.completed")},
			[]string{"1 job.queued", "2 job.completed"}, []string{"", "1"}},
		{"reset", []string{block(7, "job.queued"), "event: stream.reset\ndata: {\"type\":\"stream.reset\"}\n\n" + block(1, "job.queued") + block(2, "job.completed")},
			[]string{"7 job.queued", "0 stream.reset", "1 job.queued", "2 job.completed"}, []string{"", "7"}},
		{"service away for a while", []string{"503", "503", block(1, "job.completed")},
			[]string{"1 job.completed"}, []string{"", "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &streams{texts: tt.texts}
			c, _ := serve(t, s.ServeHTTP)
			got, err := collect(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(s.resumed, tt.resumed) {
				t.Errorf("resumed after %q, want %q", s.resumed, tt.resumed)
			}
		})
	}
}

func TestEventsEndWithARefusal(t *testing.T) {
	s := &streams{texts: []string{block(1, "job.queued"), "401"}}
	c, _ := serve(t, s.ServeHTTP)
	got, err := collect(t.Context(), c)
	if !errors.Is(err, ErrUnauthorized) || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEventsStopWhenTheConsumerDoes(t *testing.T) {
	s := &streams{texts: []string{block(1, "job.queued") + block(2, "job.started")}}
	c, _ := serve(t, s.ServeHTTP)
	for _, err := range c.Events(t.Context(), Job{ID: testJob}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if len(s.resumed) != 1 {
		t.Errorf("%d connections, want 1", len(s.resumed))
	}
}

func TestFiveFruitlessStreamsFallBackToPolling(t *testing.T) {
	s := &streams{texts: []string{"503", "503", "503", "503", "503", "503"}}
	polls := 0
	s.status = func(w http.ResponseWriter) {
		polls++
		switch polls {
		case 1:
			writeJSON(w, 200, record(api.JobRunning, 40))
		case 2:
			writeJSON(w, 503, map[string]string{"error": "No."})
		case 3:
			writeJSON(w, 200, record(api.JobRunning, 40))
		default:
			ended := record(api.JobCompleted, 100)
			ended.LastEventID = 9
			writeJSON(w, 200, ended)
		}
	}
	c, _ := serve(t, s.ServeHTTP)
	got, err := collect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"0 job.progress", "0 job.progress", "9 job.completed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(s.resumed) != 5 {
		t.Errorf("%d streams were tried, want 5", len(s.resumed))
	}
}

func TestPollsComeWhenTheServiceSays(t *testing.T) {
	s := &streams{texts: []string{"503", "503", "503", "503", "503"}}
	polls := 0
	s.status = func(w http.ResponseWriter) {
		if polls++; polls == 1 {
			w.Header().Set("Retry-After", "20")
			writeJSON(w, 503, map[string]string{"error": "No."})
			return
		}
		writeJSON(w, 200, record(api.JobCompleted, 100))
	}
	c, clock := serve(t, s.ServeHTTP)
	if _, err := collect(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if last := clock.slept[len(clock.slept)-1]; last != 20*time.Second {
		t.Errorf("the next poll came after %v, want 20s", last)
	}
}

func TestPollingGivesUpAfterTheBudget(t *testing.T) {
	s := &streams{texts: []string{"503", "503", "503", "503", "503"}}
	s.status = func(w http.ResponseWriter) { writeJSON(w, 503, map[string]string{"error": "No."}) }
	c, clock := serve(t, s.ServeHTTP)
	begin := clock.Now()
	if _, err := collect(t.Context(), c); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if took := clock.Now().Sub(begin); took < DefaultRetryBudget || took > DefaultRetryBudget+time.Minute {
		t.Errorf("gave up after %v", took)
	}
}

// pipes is a listener whose connections are in memory, so that a client and a server
// can be in one bubble of synctest.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	close   func()
}

func newPipes() *pipes {
	p := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.waiting <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.waiting:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close(); return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Net: "pipe"} }

func TestSilentStreamIsTakenForDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connections := newPipes()
		service := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if r.Header.Get("Last-Event-ID") == "" {
				time.Sleep(DefaultIdleLimit - time.Second) // which is no silence yet
				_, _ = io.WriteString(w, block(1, "job.queued"))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			_, _ = io.WriteString(w, block(2, "job.completed"))
		})}
		go func() { _ = service.Serve(connections) }()
		transport := &http.Transport{DialContext: connections.dial, DisableKeepAlives: true}
		c, err := New(Options{APIKey: testKey, HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		got, err := collect(t.Context(), c)
		if want := []string{"1 job.queued", "2 job.completed"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v", got, err)
		}
		if took, want := time.Since(began), 2*DefaultIdleLimit-time.Second+firstBackoff; took != want {
			t.Errorf("it took %v, want %v", took, want)
		}
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestEventsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := collect(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestWaitReturnsTheRecordOfTheEndedJob(t *testing.T) {
	s := &streams{texts: []string{block(1, "job.queued") + block(2, "job.failed")}}
	polls := 0
	s.status = func(w http.ResponseWriter) {
		polls++
		if polls == 1 {
			writeJSON(w, 200, record(api.JobRunning, 99))
			return
		}
		failed := record(api.JobFailed, 99)
		failed.Failure = &api.Failure{Code: api.FailureTIKExhausted, Message: "No TIK left."}
		writeJSON(w, 200, failed)
	}
	c, _ := serve(t, s.ServeHTTP)
	got, err := c.Wait(t.Context(), Job{ID: testJob, ProjectID: testProject})
	if err != nil || got.Status != api.JobFailed || got.Failure == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWaitOutlastsAServiceThatIsAwayWhenTheJobHasEnded(t *testing.T) {
	s := &streams{texts: []string{block(1, "job.queued") + block(2, "job.completed")}}
	polls := 0
	s.status = func(w http.ResponseWriter) {
		switch polls++; polls {
		case 1:
			writeJSON(w, 200, record(api.JobRunning, 99))
		case 2, 3:
			writeJSON(w, 503, map[string]string{"error": "The job can't be looked up right now."})
		default:
			writeJSON(w, 200, record(api.JobCompleted, 100))
		}
	}
	c, _ := serve(t, s.ServeHTTP)
	got, err := c.Wait(t.Context(), Job{ID: testJob, ProjectID: testProject})
	if err != nil || got.Status != api.JobCompleted {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWaitGivesUpAfterTheBudget(t *testing.T) {
	s := &streams{texts: []string{block(1, "job.completed")}}
	s.status = func(w http.ResponseWriter) { writeJSON(w, 503, map[string]string{"error": "No."}) }
	c, clock := serve(t, s.ServeHTTP)
	begin := clock.Now()
	if _, err := c.Wait(t.Context(), Job{ID: testJob, ProjectID: testProject}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if took := clock.Now().Sub(begin); took < DefaultRetryBudget || took > DefaultRetryBudget+time.Minute {
		t.Errorf("gave up after %v", took)
	}
}

func TestCancelDeletesTheJob(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodDelete || r.URL.String() != "/v1/generate/"+testJob+"?projectId="+testProject {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		writeJSON(w, 200, record(api.JobCancelled, 10))
	})
	got, err := c.Cancel(t.Context(), Job{ID: testJob, ProjectID: testProject})
	if err != nil || got.Status != api.JobCancelled {
		t.Errorf("got %+v, %v", got, err)
	}
}

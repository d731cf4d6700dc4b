package sse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// memoryLog is a Log that a test appends to.
type memoryLog struct {
	mu      sync.Mutex // guards the following fields
	records []Record
	ended   bool
	changed chan struct{}
}

func newMemoryLog(n int, ended bool) *memoryLog {
	l := &memoryLog{changed: make(chan struct{})}
	for range n {
		l.append("job.progress")
	}
	if ended {
		l.append("job.completed")
	}
	return l
}

func (l *memoryLog) append(eventType string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := uint64(len(l.records) + 1)
	l.records = append(l.records, Record{ID: id, Type: eventType, Data: fmt.Appendf(nil, `{"seq":%d}`, id)})
	l.ended = eventType == "job.completed"
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *memoryLog) Read(after uint64) ([]Record, State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := State{Last: uint64(len(l.records)), Ended: l.ended, Changed: l.changed}
	if after >= state.Last {
		return nil, state, nil
	}
	return l.records[after:], state, nil
}

func serve(t *testing.T, log Log, opts Options) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := Serve(w, r, log, opts); err != nil {
			t.Errorf("serving: %v", err)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func get(t *testing.T, url, lastEventID string) *http.Response {
	t.Helper()
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func readAll(t *testing.T, r io.Reader) []Record {
	t.Helper()
	var out []Record
	reader := NewReader(r)
	for {
		rec, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec)
	}
}

func ids(records []Record) string {
	var b strings.Builder
	for _, r := range records {
		if r.ID == 0 {
			b.WriteString(r.Type + " ")
			continue
		}
		fmt.Fprintf(&b, "%d ", r.ID)
	}
	return strings.TrimSpace(b.String())
}

func TestResumeSendsEverythingAfterThePosition(t *testing.T) {
	srv := serve(t, newMemoryLog(3, true), Options{})
	for name, tc := range map[string]struct{ header, query, want string }{
		"from the start":           {"", "", "1 2 3 4"},
		"header":                   {"2", "", "3 4"},
		"query":                    {"", "?lastEventId=3", "4"},
		"header before query":      {"1", "?lastEventId=3", "2 3 4"},
		"garbage":                  {"abc", "", "stream.reset 1 2 3 4"},
		"negative":                 {"-1", "", "stream.reset 1 2 3 4"},
		"beyond what a uint holds": {"99999999999999999999", "", "stream.reset 1 2 3 4"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := get(t, srv.URL+"/"+tc.query, tc.header)
			if got := ids(readAll(t, resp.Body)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestResumeAtOrPastTheEndOfAnEndedJobIs204(t *testing.T) {
	srv := serve(t, newMemoryLog(3, true), Options{})
	for _, id := range []string{"4", "5", "1000"} {
		if resp := get(t, srv.URL, id); resp.StatusCode != http.StatusNoContent {
			t.Errorf("Last-Event-ID %s: status %d", id, resp.StatusCode)
		}
	}
}

func TestFutureIDOfARunningJobResets(t *testing.T) {
	log := newMemoryLog(2, false)
	srv := serve(t, log, Options{})
	resp := get(t, srv.URL, "9")
	reader := NewReader(resp.Body)
	for _, want := range []string{"stream.reset", "job.progress", "job.progress"} {
		rec, err := reader.Next()
		if err != nil || rec.Type != want {
			t.Fatalf("got %+v, %v; want %s", rec, err, want)
		}
	}
}

func TestLiveRecordsFollowTheReplayWithoutGapOrRepeat(t *testing.T) {
	log := newMemoryLog(2, false)
	srv := serve(t, log, Options{})
	resp := get(t, srv.URL, "")
	reader := NewReader(resp.Body)
	for want := uint64(1); want <= 6; want++ {
		rec, err := reader.Next()
		if err != nil || rec.ID != want {
			t.Fatalf("got %+v, %v; want id %d", rec, err, want)
		}
		switch {
		case want >= 2 && want < 5:
			log.append("job.progress")
		case want == 5:
			log.append("job.completed")
		}
	}
	if rec, err := reader.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the terminal event: %+v, %v", rec, err)
	}
}

func TestStreamHeadersAndFraming(t *testing.T) {
	srv := serve(t, newMemoryLog(1, true), Options{})
	resp := get(t, srv.URL, "")
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	const want = ": ok\nretry: 2500\n\nid: 1\nevent: job.progress\ndata: {\"seq\":1}\n\nid: 2\nevent: job.completed\ndata: {\"seq\":2}\n\n"
	if string(body) != want {
		t.Errorf("body is %q", body)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
	if got := resp.Header.Get("Cache-Control"); got != "no-cache, no-transform" {
		t.Errorf("Cache-Control is %q", got)
	}
}

func TestSilenceIsFilledWithHeartbeats(t *testing.T) {
	srv := serve(t, newMemoryLog(0, false), Options{Heartbeat: time.Millisecond})
	resp := get(t, srv.URL, "")
	const want = FirstBlock + ": hb\n\n: hb\n\n"
	buf := make([]byte, len(want))
	if _, err := io.ReadFull(resp.Body, buf); err != nil || string(buf) != want {
		t.Errorf("got %q, %v", buf, err)
	}
}

func FuzzReaderReturnsOnlyBlocksWithData(f *testing.F) {
	f.Add("id: 1\nevent: a\ndata: {}\n\n")
	f.Add(": c\n\nretry: 1\n\ndata: x\ndata: y\n\n")
	f.Fuzz(func(t *testing.T, s string) {
		r := NewReader(strings.NewReader(s))
		for {
			rec, err := r.Next()
			if err != nil {
				return
			}
			if rec.Data == nil {
				t.Fatalf("a record without data: %+v", rec)
			}
		}
	})
}

package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/test/wait"
)

// detaching serves streams of a job whose log is what next writes, over real connections.
// Each client names its key. What is returned with the server holds a token for each
// request that its handler is done with.
func detaching(t *testing.T, l *Locator, next Next) (server *httptest.Server, done <-chan struct{}) {
	t.Helper()
	served(l, next)
	returned := make(chan struct{}, 100)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := l.Serve(w, r, aStream(r.Header.Get("X-API-Key"), running), nil); err != nil {
			t.Error(err)
		}
		returned <- struct{}{}
	}))
	t.Cleanup(server.Close)
	return server, returned
}

// reads opens a stream and returns its answer.
func reads(t *testing.T, server *httptest.Server, key string) *http.Response {
	t.Helper()
	ctx, cancel := wait.Context(t)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// asks opens a stream on a connection from which nothing is read.
func asks(t *testing.T, server *httptest.Server, key string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: "+key+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// eventOf is one event of a log.
func eventOf(id int, kind string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {}\n\n", id, kind)
}

// TestStreamsAtRestHaveNoGoroutine: their connections are all that is left of their
// requests, and each has every event once. None says that its connection closes: fetch of
// Node would take one that is cut for a whole one.
func TestStreamsAtRestHaveNoGoroutine(t *testing.T) {
	const readers = 50
	l := &Locator{Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry)}
	goOn := make(chan struct{})
	server, _ := detaching(t, l, func(w http.ResponseWriter, _ *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-goOn
		_, err := io.WriteString(w, eventOf(2, "job.progress")+eventOf(3, "job.completed"))
		return err
	})
	conns := make([]*bufio.Reader, readers)
	before := runtime.NumGoroutine()
	for i := range conns {
		conns[i] = bufio.NewReader(asks(t, server, "k"))
	}
	wait.Until(t, "the requests' goroutines are gone", func() bool {
		return l.Streams.Len() == readers && runtime.NumGoroutine() < before+readers/2
	})
	close(goOn)
	want := sse.FirstBlock + eventOf(1, "job.started") + eventOf(2, "job.progress") + eventOf(3, "job.completed")
	for i, conn := range conns {
		resp, err := http.ReadResponse(conn, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != want || resp.Close {
			t.Errorf("stream %d has %q, %v; it says that its connection closes: %v", i, got, err, resp.Close)
		}
	}
	wait.Until(t, "all streams are let go", func() bool { return l.Streams.Len() == 0 && l.Jobs.Len() == 0 })
}

// TestDetachedStreamsEndHoweverTheirEndsMeet has events, clients that leave and keys that
// lose access come at the same time.
func TestDetachedStreamsEndHoweverTheirEndsMeet(t *testing.T) {
	const readers, events = 60, 200
	l := &Locator{Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry)}
	begin := make(chan struct{})
	server, _ := detaching(t, l, func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-begin
		for id := 2; id < events; id++ {
			if _, err := io.WriteString(w, eventOf(id, "job.progress")); err != nil {
				return err
			}
			runtime.Gosched()
		}
		_, err := io.WriteString(w, eventOf(events, "job.completed"))
		return err
	})
	answers := make([]*http.Response, readers)
	for i := range answers {
		answers[i] = reads(t, server, [...]string{"stays", "loses", "leaves"}[i%3])
	}
	wait.Until(t, "all streams are open", func() bool { return l.Streams.Len() == readers })
	var all sync.WaitGroup
	close(begin)
	all.Go(func() {
		l.Streams.CloseReader(streams.Reader{KeyID: "loses", ProjectID: project}, streams.ReasonAccessLost)
	})
	for i, resp := range answers {
		all.Go(func() {
			if i%3 == 2 {
				_, _ = io.CopyN(io.Discard, resp.Body, 500)
				_ = resp.Body.Close()
				return
			}
			got, err := io.ReadAll(resp.Body)
			blocks := strings.Split(strings.TrimPrefix(string(got), sse.FirstBlock), "\n\n")
			last := len(blocks) - 1
			for n, block := range blocks[:last] {
				if !strings.HasPrefix(block, fmt.Sprintf("id: %d\n", n+1)) && (i%3 == 0 || n != last-1 || !strings.HasPrefix(block, "event: stream.closing\n")) {
					t.Errorf("stream %d has %q as event %d", i, block, n+1)
				}
			}
			if err != nil || i%3 == 0 && last != events {
				t.Errorf("stream %d has %d events, %v", i, last, err)
			}
		})
	}
	all.Wait()
	wait.Until(t, "all streams are let go", func() bool { return l.Streams.Len() == 0 && l.Jobs.Len() == 0 })
}

// TestAStopAwaitsTheLastWordsOfDetachedStreams: no server waits for them.
func TestAStopAwaitsTheLastWordsOfDetachedStreams(t *testing.T) {
	l := &Locator{Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry)}
	server, _ := detaching(t, l, func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-r.Context().Done()
		return nil
	})
	resp := reads(t, server, "k")
	l.Streams.CloseAll(streams.ReasonShutdown)
	l.Streams.AwaitEnd()
	if n := l.Streams.Len(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
	got, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasSuffix(string(got), `"reason":"shutdown"}`+"\n\n") {
		t.Errorf("the client has %q, %v", got, err)
	}
	l.Streams.AwaitEnd() // which waits for none
}

// TestADetachedStreamThatPanicsEndsAlone: nothing else in the process is its server's.
func TestADetachedStreamThatPanicsEndsAlone(t *testing.T) {
	broke := make(chan error, 1)
	l := &Locator{
		Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry),
		Ended:        func(string) { panic("a bug") },
		StreamBroken: func(_ string, err error) { broke <- err },
	}
	goOn := make(chan struct{})
	server, done := detaching(t, l, func(w http.ResponseWriter, _ *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-goOn
		_, err := io.WriteString(w, eventOf(2, "job.completed"))
		return err
	})
	resp := reads(t, server, "k")
	wait.For(t, "it is detached", done)
	close(goOn)
	if err := wait.For(t, "the bug is told", broke); !strings.Contains(err.Error(), "a bug") {
		t.Errorf("told is %v", err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ends with %v", err)
	}
	wait.Until(t, "the stream is let go", func() bool { return l.Streams.Len() == 0 && l.Jobs.Len() == 0 })
}

// TestADetachedStreamWhoseClientTakesNothingEnds: its window fills, and nobody else waits.
func TestADetachedStreamWhoseClientTakesNothingEnds(t *testing.T) {
	l := &Locator{
		Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry),
		Stall: func(context.Context) (time.Duration, bool) { return 50 * time.Millisecond, true },
	}
	goOn := make(chan struct{})
	server, done := detaching(t, l, func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-goOn
		text := strings.Repeat("x", 32<<10)
		for id := 2; r.Context().Err() == nil; id++ {
			if _, err := fmt.Fprintf(w, "id: %d\nevent: job.progress\ndata: %q\n\n", id, text); err != nil {
				return err
			}
		}
		return nil
	})
	asks(t, server, "k")
	wait.For(t, "it is detached", done)
	close(goOn)
	wait.Until(t, "the stream is let go", func() bool { return l.Streams.Len() == 0 && l.Jobs.Len() == 0 })
}

// TestAStreamStaysWithItsServerWhereThatBoundsItOtherwise: the server's bound would be lost.
func TestAStreamStaysWithItsServerWhereThatBoundsItOtherwise(t *testing.T) {
	l := &Locator{
		Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry),
		Stall: func(context.Context) (time.Duration, bool) { return 0, false },
	}
	returned := make(chan struct{})
	served(l, func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, eventOf(1, "job.started"))
		<-r.Context().Done()
		return nil
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(returned)
		_ = l.Serve(w, r, aStream("k", running), nil)
	}))
	defer server.Close()
	resp := reads(t, server, "k")
	if _, err := io.ReadFull(resp.Body, make([]byte, len(sse.FirstBlock+eventOf(1, "job.started")))); err != nil {
		t.Fatal(err)
	}
	select {
	case <-returned:
		t.Error("the stream has left its server")
	default:
	}
	resp.Body.Close()
	wait.For(t, "the handler returns when the client left", returned)
}

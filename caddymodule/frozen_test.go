package caddymodule_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/wait"
)

// TestReadersOfAFrozenEngineCostLittle: whoever may read a job's events can open as
// many streams as a key may have, and its engine be stopped for a minute before
// anybody ends it.
func TestReadersOfAFrozenEngineCostLittle(t *testing.T) {
	const (
		readers = 200
		perKey  = 50
		cost    = 16 << 10 // bytes of each, this test's end of the connection included
	)
	d := newFakeBackend(t)
	goOn := d.frozenEngine(t)
	g := d.gateway(t, wholeAPI)
	ctx, cancel := wait.Context(t)
	defer cancel()
	ask := func(key, path string) *bufio.Reader {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		context.AfterFunc(ctx, func() { conn.Close() })
		request := "GET /v1/generate/" + testJob + path + " HTTP/1.1\r\nHost: " + g.addr + "\r\nX-API-Key: " + key + "\r\n\r\n"
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		return bufio.NewReaderSize(conn, 512)
	}
	const open = "svc_event_streams"
	was, before, routines := g.metric(open), memory(), runtime.NumGoroutine()
	var key string
	streams, bodies := make([]*bufio.Reader, readers), make([]io.Reader, readers)
	for i := range streams {
		if i%perKey == 0 {
			key = d.key("k"+strconv.Itoa(i), "")
		}
		streams[i] = ask(key, "/events")
	}
	for i, stream := range streams {
		bodies[i] = begun(t, stream)
	}
	if n := g.metric(open) - was; n != readers {
		t.Errorf("%v streams are open, want %d", n, readers)
	}
	wait.Until(t, "no stream has a goroutine", func() bool { return runtime.NumGoroutine()-routines < readers/10 })
	if each := (memory() - before) / readers; each > cost {
		t.Errorf("each takes %d bytes of memory, want at most %d", each, cost)
	}

	status, err := http.ReadResponse(ask(key, "/status"), nil)
	if err != nil || status.StatusCode != http.StatusOK {
		t.Errorf("the status, for which no engine is needed, is answered %v, %v", status, err)
	}

	var asked atomic.Int32
	goOn(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, "id: 1\nevent: job.completed\ndata: {}\n\n")
	})
	for i, body := range bodies {
		rest, err := io.ReadAll(body)
		if err != nil || strings.Count(string(rest), "event: job.completed") != 1 {
			t.Fatalf("when the engine goes on, stream %d has %q, %v", i, rest, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the engine had %d connections, want 1", n)
	}
	wait.Until(t, "the streams are over", func() bool { return g.metric(open) == was })
}

// begun reads how a stream begins, and returns the rest.
func begun(t *testing.T, stream *bufio.Reader) io.Reader {
	t.Helper()
	resp, err := http.ReadResponse(stream, nil)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("a stream is answered %v, %v", resp, err)
	}
	first := make([]byte, len(sse.FirstBlock))
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != sse.FirstBlock {
		t.Fatalf("a stream begins with %q, %v", first, err)
	}
	return resp.Body
}

// memory returns what is used of heap and stacks, in bytes.
func memory() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/test/wait"
)

// deliveries returns what has an event of a job come to readers whose streams rest, each on
// a connection of its own.
func deliveries(tb testing.TB, readers int) (deliver func()) {
	l := &Locator{
		Sidecar: &allowing{}, Engines: &fakeEngines{}, Streams: new(streams.Registry),
		Stall: func(context.Context) (time.Duration, bool) { return time.Minute, true },
	}
	events := make(chan []byte)
	server, _ := detaching(tb, l, func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		for {
			select {
			case event := <-events:
				if _, err := w.Write(event); err != nil {
					return err
				}
			case <-r.Context().Done():
				return nil
			}
		}
	})
	conns, routines := make([]net.Conn, readers), runtime.NumGoroutine()
	for i := range conns {
		conns[i] = asks(tb, server, "k")
	}
	wait.Until(tb, "all streams are open", func() bool { return l.Streams.Len() == readers })
	first := []byte(eventOf(1, "job.started"))
	events <- first
	buf := make([]byte, 4<<10)
	for _, conn := range conns {
		for n := 0; !bytes.HasSuffix(buf[:n], append(first, "\r\n"...)); { // the end of its chunk
			m, err := conn.Read(buf[n:])
			if err != nil {
				tb.Fatal(err)
			}
			n += m
		}
	}
	wait.Until(tb, "the streams rest", func() bool { return runtime.NumGoroutine()-routines < readers/2 })
	id := 1
	return func() {
		id++
		event := fmt.Appendf(nil, "id: %d\nevent: job.progress\ndata: {\"type\":\"job.progress\",\"percent\":10}\n\n", id)
		events <- event
		chunk := buf[:len(fmt.Sprintf("%x", len(event)))+len(event)+4]
		for _, conn := range conns {
			if _, err := io.ReadFull(conn, chunk); err != nil || !bytes.Contains(chunk, event) {
				tb.Fatalf("a client got %q, %v", chunk, err)
			}
		}
	}
}

func TestAnEventTakesNoAllocationsOfEachStreamAtRest(t *testing.T) {
	const readers, events = 100, 50
	deliver := deliveries(t, readers)
	deliver()
	each := testing.AllocsPerRun(events, deliver) / readers
	if each > 0.5 && !raceDetector { // whose pools lose what they are given
		t.Errorf("an event takes %.2f allocations of each of %d streams", each, readers)
	}
}

// BenchmarkAnEventToStreamsAtRest measures an event on its way to a hundred clients, each
// time with what their reading takes.
func BenchmarkAnEventToStreamsAtRest(b *testing.B) {
	deliver := deliveries(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		deliver()
	}
}

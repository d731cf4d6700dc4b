package caddymodule_test

import (
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api/sse"
)

// quiet is a global option block for benchmarks: no request is logged.
const quiet = `	admin off
	persist_config off
	log {
		level ERROR
	}
`

// polled is the chain with a request rate that no benchmark reaches.
const polled = `	handle /v1/* {
		route {
			svc_auth {
				rate 1000000 1000000
			}
			svc_access
			svc_projects
			svc_engine
			svc_quota
		}
	}
	handle_errors {
		svc_error
	}`

// statusPoll returns what polls a status, from the router on, Caddy's own work included:
// key, rate, decision and record come from memory.
func statusPoll(tb testing.TB) (poll func()) {
	d := newFakeBackend(tb)
	key := d.key("key_1", "")
	g := d.gateway(tb, polled)
	g.load(quiet, polled)
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		tb.Fatal(err)
	}
	server := app.(*caddyhttp.App).Servers["srv0"]
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://"+g.addr+"/v1/generate/"+testJob+"/status?projectId="+testProject, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.RemoteAddr, req.RequestURI = "127.0.0.1:1", req.URL.RequestURI()
	req.Header.Set("X-API-Key", key)
	sent := req.Header
	w := &discarded{header: make(http.Header)}
	return func() {
		req.Header = http.Header{"X-Api-Key": sent["X-Api-Key"]} // which svc_auth takes away
		clear(w.header)
		server.ServeHTTP(w, req)
		if w.status != http.StatusOK {
			tb.Fatalf("the answer is %d", w.status)
		}
	}
}

// TestAStatusPollTakesFewAllocations: how many there are does not depend on the machine. What
// was asked for once is in the caches a moment later.
func TestAStatusPollTakesFewAllocations(t *testing.T) {
	const most = 110 // 103, and what the race detector does to pools
	poll := statusPoll(t)
	least := math.Inf(1)
	for range 20 {
		if least = min(least, testing.AllocsPerRun(200, poll)); least <= most {
			return
		}
	}
	t.Errorf("a status poll takes %v allocations, want at most %d", least, most)
}

func BenchmarkStatusPoll(b *testing.B) {
	poll := statusPoll(b)
	b.ReportAllocs()
	for b.Loop() {
		poll()
	}
}

// BenchmarkOpenStreams measures what a stream at rest takes of memory and goroutines:
// the gateway's, Caddy's and net/http's, without the client's, which has a connection
// and no more. Run it with -benchtime 1x.
func BenchmarkOpenStreams(b *testing.B) {
	const (
		readers = 2000
		perKey  = 50
	)
	d := newFakeBackend(b)
	engine := new(atomic.Int32)
	d.engine(b, func(w http.ResponseWriter, r *http.Request) {
		engine.Add(1)
		sse.SetHeaders(w.Header())
		_, _ = io.WriteString(w, sse.FirstBlock+"id: 1\nevent: job.started\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	g := d.gateway(b, wholeAPI)
	for b.Loop() {
		conns := make([]net.Conn, readers)
		key := ""
		before, routines := memory(), runtime.NumGoroutine()
		engine.Store(0)
		for i := range conns {
			if i%perKey == 0 {
				key = d.key("k"+strconv.Itoa(i), "")
			}
			conn, err := net.Dial("tcp", g.addr)
			if err != nil {
				b.Fatal(err)
			}
			conns[i] = conn
			if _, err := io.WriteString(conn, "GET /v1/generate/"+testJob+"/events HTTP/1.1\r\nHost: "+g.addr+"\r\nX-API-Key: "+key+"\r\n\r\n"); err != nil {
				b.Fatal(err)
			}
		}
		first := make([]byte, 4<<10)
		for _, conn := range conns {
			for got := ""; !strings.Contains(got, "job.started"); {
				n, err := conn.Read(first)
				if err != nil {
					b.Fatalf("%v after %q", err, got)
				}
				got += string(first[:n])
			}
		}
		b.ReportMetric(float64(memory()-before)/readers, "B/stream")
		b.ReportMetric(float64(runtime.NumGoroutine()-routines)/readers, "goroutines/stream")
		b.ReportMetric(float64(engine.Load()), "upstreams")
		for _, conn := range conns {
			conn.Close()
		}
	}
}

// discarded is an answer of which only the status is kept.
type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header { return d.header }

func (d *discarded) WriteHeader(status int) { d.status = status }

func (d *discarded) SetWriteDeadline(time.Time) error { return nil }

func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }

// Interface guards
var _ http.ResponseWriter = (*discarded)(nil)

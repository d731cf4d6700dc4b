package caddymodule_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
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

// BenchmarkStatusPoll measures a status poll from the router on, Caddy's own
// work included: key, rate, decision and record come from memory.
func BenchmarkStatusPoll(b *testing.B) {
	d := newFakeBackend(b)
	key := d.key("key_1", "")
	g := d.gateway(b, polled)
	g.load(quiet, polled)
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		b.Fatal(err)
	}
	server := app.(*caddyhttp.App).Servers["srv0"]
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+g.addr+"/v1/generate/"+testJob+"/status?projectId="+testProject, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.RemoteAddr, req.RequestURI = "127.0.0.1:1", req.URL.RequestURI()
	req.Header.Set("X-API-Key", key)
	sent := req.Header
	w := &discarded{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		req.Header = http.Header{"X-Api-Key": sent["X-Api-Key"]} // which svc_auth takes away
		clear(w.header)
		server.ServeHTTP(w, req)
		if w.status != http.StatusOK {
			b.Fatalf("the answer is %d", w.status)
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

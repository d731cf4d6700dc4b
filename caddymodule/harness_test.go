package caddymodule_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// A connection that the old listener had not accepted when a reload closed it
// is reset before anything was sent: dialling again is all it takes.
func init() {
	dial := new(net.Dialer).DialContext
	http.DefaultTransport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		for {
			conn, err := dial(ctx, network, addr)
			if !errors.Is(err, syscall.ECONNRESET) || ctx.Err() != nil {
				return conn, err
			}
		}
	}
}

// testGateway is a Caddy in this process, in front of a fake backend.
type testGateway struct {
	*fakeBackend
	t     testing.TB
	addr  string // host:port
	admin string // socket of the admin API
	log   string // file of every log
	app   string // options of the app, a line each
}

// globals is a global option block for the tests. Every log goes to one file
// at debug level, masked as the shipped Caddyfile masks, without the header besides.
const globals = `	admin unix/{admin}
	persist_config off
	metrics
	log {
		level DEBUG
		output file {log}
		format svc {
			wrap filter {
				wrap json
				request>headers>X-Api-Key delete
			}
		}
	}
`

// gateway runs Caddy with globals and one site, whose block is given.
func (d *fakeBackend) gateway(t testing.TB, site string) *testGateway {
	t.Helper()
	g := &testGateway{
		fakeBackend: d, t: t, addr: freeport.Address(t),
		admin: filepath.Join(d.dir, "admin.sock"), log: filepath.Join(d.dir, "caddy.log"),
	}
	g.load(globals, site)
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// load replaces the configuration.
func (g *testGateway) load(globals, site string) {
	g.t.Helper()
	g.replace(g.config(globals, site))
}

// replace replaces the configuration by one in JSON.
func (g *testGateway) replace(config []byte) {
	g.t.Helper()
	if err := caddy.Load(config, true); err != nil {
		g.t.Fatal(err)
	}
	g.settle()
}

// settle returns once the servers of the configuration alone get requests. Caddy
// stops those of one that it has replaced, or refused, in the background: until
// they have closed their listener they get connections as the others do, and they
// still answer on connections they have.
func (g *testGateway) settle() {
	g.t.Helper()
	wait.Until(g.t, "no server of another configuration listens", func() bool { return freeport.Listeners(g.t, g.addr) == 1 })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func (g *testGateway) config(globals, site string) []byte {
	g.t.Helper()
	_, port, err := net.SplitHostPort(g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	fill := strings.NewReplacer("{admin}", g.admin, "{log}", g.log, "{port}", port)
	text, err := adapt(g.t, fill.Replace("{\n"+globals+"\tsvc {\n\t\tdata_dir "+g.dir+"\n"+g.app+"\t}\n}\nhttp://"+g.addr+" {\n"+site+"\n}\n"))
	if err != nil {
		g.t.Fatal(err)
	}
	return onFake(g.t, text)
}

// onFake makes the test's backend that of an adapted configuration.
func onFake(t testing.TB, config string) []byte {
	t.Helper()
	var tree struct {
		Apps map[string]map[string]any `json:"apps"`
	}
	var all map[string]any
	for _, into := range []any{&tree, &all} {
		if err := json.Unmarshal([]byte(config), into); err != nil {
			t.Fatal(err)
		}
	}
	tree.Apps["svc"]["sidecar"] = map[string]any{"form": "fake"}
	tree.Apps["svc"]["engines"] = map[string]any{"form": "fake"}
	all["apps"] = tree.Apps
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answer is a response that was read to its end.
type answer struct {
	*http.Response
	body string
}

// send sends a request with a key, "" for none.
func (g *testGateway) send(method, path, key, body string) answer {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, "http://"+g.addr+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	return g.do(req)
}

// submission is one of a new key.
func (g *testGateway) submission(ctx context.Context) *http.Request {
	g.t.Helper()
	body := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+g.addr+"/v1/generate", strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", g.key("submitter", ""))
	return req
}

func (g *testGateway) do(req *http.Request) answer {
	g.t.Helper()
	resp := g.roundTrip(http.DefaultTransport, req)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer{resp, string(body)}
}

// roundTrip returns the answer to a request. A GET whose connection is closed
// without one is sent again: the server of a configuration that Caddy has refused,
// or replaced, may have accepted it in its last moment.
func (g *testGateway) roundTrip(by http.RoundTripper, req *http.Request) *http.Response {
	g.t.Helper()
	var resp *http.Response
	wait.Until(g.t, "a server of the configuration answers", func() bool {
		var err error
		if resp, err = by.RoundTrip(req); err == nil {
			return true
		}
		closed := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
		if !closed || req.Method != http.MethodGet {
			g.t.Fatal(err)
		}
		return false
	})
	return resp
}

// ask sends a request to the admin API.
func (g *testGateway) ask(method, path string) answer {
	g.t.Helper()
	client := http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", g.admin)
		},
		DisableKeepAlives: true,
	}
	req, err := http.NewRequestWithContext(g.t.Context(), method, "http://127.0.0.1"+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer{resp, string(body)}
}

// logged returns the log so far.
func (g *testGateway) logged() string {
	g.t.Helper()
	raw, err := os.ReadFile(g.log)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(raw)
}

// accessLines returns the access log's lines, once there are n.
func (g *testGateway) accessLines(n int) []map[string]any {
	g.t.Helper()
	var lines []map[string]any
	wait.Until(g.t, fmt.Sprintf("there are %d lines in the access log", n), func() bool {
		lines = nil
		for line := range bytes.Lines([]byte(g.logged())) {
			var entry map[string]any
			if json.Unmarshal(line, &entry) == nil && entry["msg"] == "handled request" {
				lines = append(lines, entry)
			}
		}
		return len(lines) >= n
	})
	return lines
}

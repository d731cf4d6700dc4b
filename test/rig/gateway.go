package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// Options of NewGateway.
type Options struct {
	// Program is a build of Caddy with the service's modules; default bin/caddy.
	Program string
	// Caddyfile is the text of the configuration; default: the shipped file.
	Caddyfile string
	// Env are further variables, NAME=value.
	Env []string
	// Prefix are arguments before the program: taskset and its own.
	Prefix []string
	// Dir is the data directory; default: a new one.
	Dir string
}

// Gateway is a Caddy with the service's modules, a data directory and an address.
type Gateway struct {
	Process
	Dir  string // data directory
	Addr string // host:port

	t        testing.TB
	adminDir string // the data directory of the sidecar
	HTTP     *http.Client
}

// NewGateway prepares a gateway; Start and Ready make it answer. At the end it is
// stopped, and what it started and left is killed.
func NewGateway(t testing.TB, o Options) *Gateway {
	t.Helper()
	g := &Gateway{t: t, Dir: o.Dir, Addr: freeport.Address(t)}
	if g.Dir == "" {
		g.Dir = keep.Dir(t)
	}
	g.adminDir = g.Dir
	program := o.Program
	if program == "" {
		program = Bin(t, "caddy")
	}
	config := filepath.Join(Root(t), "Caddyfile")
	if o.Caddyfile != "" {
		config = filepath.Join(keep.Dir(t), "Caddyfile")
		if err := os.WriteFile(config, []byte(o.Caddyfile), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.Args = append(o.Prefix, program, "run", "--config", config)
	g.Process.Dir = Root(t)
	g.Env = append([]string{
		"SVC_ADDRESS=http://" + g.Addr, "SVC_DATA_DIR=" + g.Dir, "SVC_ENGINE_CHROMIUM=off", "SVC_GRACE=1s", "SVC_LOG_FORMAT=json",
		"SVC_DECISION_TIMEOUT=10s", // on a busy machine 50 ms pass before a decision begins
		"SVC_FRAMEWORKS=" + filepath.Join(filepath.Dir(Bin(t, "svc")), "frameworks"),
	}, o.Env...)
	transport := &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}
	g.HTTP = &http.Client{Transport: transport, Timeout: 10 * wait.Patience} // no client gives up first
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := g.Stop(); err != nil {
			t.Error(err)
		}
		if err := killEngines(t, g.Dir); err != nil {
			t.Error(err)
		}
		keep.Text(t, filepath.Base(g.Dir)+"-gateway.log", g.Log())
		if t.Failed() {
			t.Logf("log of the gateway at %s:\n%s", g.Addr, tail(g.Log()))
			g.showEngineLogs()
		}
	})
	return g
}

// tail returns the end of a log.
func tail(log string) string {
	const most = 8 << 10
	return log[max(0, len(log)-most):]
}

// Launch starts the gateway and waits until it answers.
func Launch(t testing.TB, o Options) *Gateway {
	t.Helper()
	g := NewGateway(t, o)
	if err := errors.Join(g.Start(), g.Ready(t.Context())); err != nil {
		t.Fatalf("%v\n%s", err, tail(g.Log()))
	}
	return g
}

// Ready waits until the gateway's answers come from the store: a key that no one
// has is refused.
func (g *Gateway) Ready(ctx context.Context) error {
	exited := g.Exited()
	var ended error
	err := wait.Poll(ctx, wait.Patience, func() bool {
		select {
		case <-exited:
			ended = errors.New("the gateway ended")
			return true
		default:
		}
		a, err := g.Do(ctx, Key{Secret: mint.NewKey()}, http.MethodGet, "/v1/projects", nil)
		return err == nil && a.Status == http.StatusUnauthorized
	})
	return errors.Join(err, ended)
}

// Status returns the body of GET /svc/status on Caddy's admin socket.
func (g *Gateway) Status(dst any) (int, error) {
	res, err := g.admin("/svc/status")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return res.StatusCode, json.NewDecoder(res.Body).Decode(dst)
}

// Metrics returns what GET /metrics says there.
func (g *Gateway) Metrics() (string, error) {
	res, err := g.admin("/metrics")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return string(raw), err
}

// Profile returns the gateway's profile of the processor during a time; 0: that of the
// heap, of what lives in it. The configuration needs Caddy's admin socket.
func (g *Gateway) Profile(during time.Duration) ([]byte, error) {
	path := "/debug/pprof/heap?gc=1"
	if during > 0 {
		path = fmt.Sprintf("/debug/pprof/profile?seconds=%d", int(during.Seconds()))
	}
	res, err := g.admin(path)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("a profile is answered %d", res.StatusCode)
	}
	return raw, err
}

func (g *Gateway) admin(path string) (*http.Response, error) {
	client := http.Client{Timeout: 10 * wait.Patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(g.Dir, "run", "caddy.sock"))
		},
	}}
	return client.Get("http://caddy" + path)
}

package caddymodule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/test/freeport"
)

func init() {
	caddy.RegisterModule(testSidecar{})
	caddy.RegisterModule(testEngines{})
}

// world is what the test backend serves: a sidecar that counts, and an engine
// proxy with one engine that a test scripts.
type world struct {
	sidecar.Service
	engineproxy.Engines

	mu        sync.Mutex // guards the following fields
	socket    string
	calls     []string // reserve, commit, release, fence
	verdict   contract.FenceVerdict
	fenceErr  error
	settled   chan struct{} // receives at commit, release and at a fence that fails
	answering string        // the instance that answers, "" for the one that is asked
}

func (w *world) instance() string {
	if w.answering != "" {
		return w.answering
	}
	return "i"
}

// current is the world of the test that runs; Caddy makes modules itself.
var current *world

type testSidecar struct{}

func (testSidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.test", New: func() caddy.Module { return new(testSidecar) }}
}

func (testSidecar) Location() string { return "embedded" }

func (testSidecar) Key(string) string { return fmt.Sprintf("test:%p", current) }

func (testSidecar) OpenSidecar(context.Context, string, *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	return &caddymodule.OpenedSidecar{Service: current, Close: func() error { return nil }}, nil
}

type testEngines struct{}

func (testEngines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.test", New: func() caddy.Module { return new(testEngines) }}
}

func (testEngines) Check(time.Duration) error { return nil }

func (testEngines) Key(string) string { return "test" }

func (testEngines) OpenEngines(
	context.Context, string, engineproxy.Ledger, *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	return &caddymodule.OpenedEngines{Engines: current, Close: func() error { return nil }}, nil
}

func (w *world) note(call string) {
	w.mu.Lock()
	w.calls = append(w.calls, call)
	w.mu.Unlock()
	if call == "commit" || call == "release" || call == "fence" && w.fenceErr != nil {
		w.settled <- struct{}{}
	}
}

func (w *world) Authenticate(context.Context, api.KeyHash) (sidecar.Identity, error) {
	return sidecar.Identity{KeyID: "k", UserID: "u", Decision: policy.Decision{Allow: true, Status: 200}}, nil
}

func (w *world) Decide(context.Context, string, string, policy.Action) (policy.Decision, error) {
	return policy.Decision{Allow: true, Status: 200}, nil
}

func (w *world) Changes(context.Context, int64) (sidecar.Changes, error) {
	return sidecar.Changes{}, nil
}

func (w *world) Watch() (<-chan struct{}, func()) { return nil, func() {} }

func (w *world) WatchJobs(func(string)) (func(), bool) { return func() {}, false }

func (w *world) Reserve(context.Context, sidecar.Reservation) (sidecar.Admission, error) {
	w.note("reserve")
	return sidecar.Admission{SessionID: "ses_x"}, nil
}

func (w *world) Commit(context.Context, string) error { w.note("commit"); return nil }

func (w *world) Release(context.Context, string) error { w.note("release"); return nil }

func (w *world) Submit(context.Context, engineproxy.Project, time.Duration) (*engineproxy.Lease, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	endpoint := engineproxy.Endpoint{Network: "unix", Address: w.socket, Token: "token", InstanceID: "i"}
	return &engineproxy.Lease{Endpoint: endpoint, Release: func() {}}, nil
}

func (w *world) Fence(context.Context, engineproxy.Project, string) (contract.FenceVerdict, error) {
	w.note("fence")
	return w.verdict, w.fenceErr
}

// serve runs the chain in front of an engine and returns the base address.
func serve(t *testing.T, w *world, engine http.Handler) string {
	t.Helper()
	return serveConfig(t, w, engine, func(config string) string { return config })
}

// serveConfig does so with a configuration that edit has changed.
func serveConfig(t *testing.T, w *world, engine http.Handler, edit func(config string) string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	w.settled = make(chan struct{}, 8)
	w.socket = filepath.Join(dir, "e.sock")
	current = w
	if engine != nil {
		l, err := net.Listen("unix", w.socket)
		if err != nil {
			t.Fatal(err)
		}
		srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set(contract.HeaderInstance, w.instance())
			engine.ServeHTTP(rw, r)
		})}}
		srv.Start()
		t.Cleanup(srv.Close)
	}
	addr := freeport.Address(t)
	config, err := adapt(t, "{\n\tadmin off\n\tpersist_config off\n\tlog {\n\t\toutput discard\n\t}\n}\nhttp://"+addr+" {\n\tsvc_api\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(withBackend(t, edit(config), dir), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return "http://" + addr
}

// withBackend puts the test backend into an adapted configuration.
func withBackend(t *testing.T, config, dataDir string) []byte {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal([]byte(config), &tree); err != nil {
		t.Fatal(err)
	}
	tree["apps"].(map[string]any)["svc"] = map[string]any{
		"data_dir": dataDir, "sidecar": map[string]any{"form": "test"}, "engines": map[string]any{"form": "test"},
	}
	out, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func submission(t *testing.T, ctx context.Context, base string) *http.Request {
	t.Helper()
	body := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/generate", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", api.NewKey())
	return req
}

func (w *world) wantCalls(t *testing.T, want string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := strings.Join(w.calls, " "); got != want {
		t.Errorf("calls are %q, want %q", got, want)
	}
}

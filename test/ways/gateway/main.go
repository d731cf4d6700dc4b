// Command gateway serves requests as Caddy does, by the chain that svc_api stands for,
// and writes down what code each covers: to DIR/<name of the way>/<repetition>, for
// "go tool covdata". It is built with "go build -cover -covermode=atomic".
//
// Behind it are a sidecar and an engine proxy that know one key, one project, one job
// and its engine. They say what they were made with: no code of ours runs in them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

const (
	project = "0123456789abcdef01234567"
	job     = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"

	repetitions = 5
)

// request is one that a client sends.
type request struct{ name, method, path, body string }

var (
	poll = request{"status", http.MethodGet, "/v1/generate/" + job + "/status?projectId=" + project, ""}
	ways = []request{
		{"submission", http.MethodPost, "/v1/generate", `{"projectId":"` + project + `","prompt":"a game"}`},
		poll,
		{"events", http.MethodGet, "/v1/generate/" + job + "/events?projectId=" + project, ""},
	}
)

func init() {
	caddy.RegisterModule(sidecarOf{})
	caddy.RegisterModule(enginesOf{})
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("gateway takes the folder for what it writes")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(out string) error {
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	behind.socket = filepath.Join(dir, "engine.sock")
	l, err := net.Listen("unix", behind.socket)
	if err != nil {
		return err
	}
	engine := &http.Server{Handler: http.HandlerFunc(serveEngine)}
	go engine.Serve(l)
	defer engine.Close()
	config, err := configuration(dir)
	if err != nil {
		return err
	}
	if err := caddy.Load(config, true); err != nil {
		return err
	}
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		return err
	}
	server, key := app.(*caddyhttp.App).Servers["srv0"], mint.NewKey()
	for _, way := range ways {
		for n := range repetitions {
			if err := measure(server, key, way, filepath.Join(out, way.name, strconv.Itoa(n))); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
		}
	}
	return caddy.Stop()
}

// configuration is that of a site with svc_api, in front of this program's backend.
func configuration(dir string) ([]byte, error) {
	text := "{\n\tadmin off\n\tpersist_config off\n\tlog {\n\t\toutput discard\n\t\tformat svc\n\t}\n}\n" +
		"http://localhost {\n\tbind unix/" + dir + "/http.sock\n\tsvc_api\n}\n"
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		return nil, err
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(adapted, &all); err != nil {
		return nil, err
	}
	form := map[string]string{"form": "ways"}
	all["apps"]["svc"] = map[string]any{"data_dir": dir, "sidecar": form, "engines": form}
	return json.Marshal(all)
}

// measure has a request served and writes the code that it covered to a folder. What
// the gateway remembers of key, decision and job it has learned before.
func measure(server *caddyhttp.Server, key string, way request, out string) error {
	if err := send(server, key, way); err != nil {
		return err
	}
	pace := time.NewTicker(20 * time.Millisecond) // a key may send 100 requests a second
	defer pace.Stop()
	for asked := int32(-1); asked != behind.asked.Load(); <-pace.C {
		asked = behind.asked.Load()
		if err := send(server, key, poll); err != nil {
			return err
		}
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := send(server, key, way); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return errors.Join(coverage.WriteCountersDir(out), coverage.WriteMetaDir(out))
}

// send returns when the request is served to its end.
func send(server *caddyhttp.Server, key string, way request) error {
	r := httptest.NewRequest(way.method, "http://localhost"+way.path, strings.NewReader(way.body))
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return fmt.Errorf("%s is answered %d: %s", way.path, w.Code, w.Body)
	}
	return nil
}

// serveEngine answers submissions, and requests for events with the last one of the job.
func serveEngine(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(contract.HeaderInstance, "instance")
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: 1\nevent: %s\ndata: {\"type\":%[1]q,\"seq\":1,\"jobId\":%q}\n\n", api.EventCompleted, job)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // the gateway looks at the answer alone
	fmt.Fprint(w, `{}`)
}

// backend is the sidecar and the engine proxy. Whatever else they are asked panics.
type backend struct {
	sidecar.Service
	engineproxy.Engines

	socket string       // where the engine listens
	asked  atomic.Int32 // what the gateway remembers when it can
}

var behind backend

func (b *backend) Authenticate(context.Context, mint.KeyHash) (sidecar.Identity, error) {
	b.asked.Add(1)
	return sidecar.Identity{KeyID: "key", UserID: "user", Decision: policy.Decision{Allow: true, Status: http.StatusOK}}, nil
}

func (b *backend) Decide(_ context.Context, _, _ string, action policy.Action) (policy.Decision, error) {
	b.asked.Add(1)
	jobs := int64(100)
	return policy.Decision{Allow: true, Status: http.StatusOK, Limits: policy.Limits{JobsPerDay: &jobs}}, nil
}

func (b *backend) Job(context.Context, string) (sidecar.Job, error) {
	b.asked.Add(1)
	return sidecar.Job{Job: api.Job{JobID: job, ProjectID: project, Status: api.JobRunning}}, nil
}

func (*backend) Changes(context.Context, int64) (sidecar.Changes, error) {
	return sidecar.Changes{}, nil
}

func (*backend) Watch() (<-chan struct{}, func()) { return nil, func() {} }

func (*backend) WatchJobs(func(string)) (func(), bool) { return func() {}, true }

func (*backend) Reserve(context.Context, sidecar.Reservation) (sidecar.Admission, error) {
	jobs := int64(100)
	return sidecar.Admission{SessionID: "session", Limits: policy.Limits{JobsPerDay: &jobs}}, nil
}

func (*backend) Renew(context.Context, string, time.Duration) error { return nil }

func (*backend) Commit(context.Context, string) error { return nil }

func (b *backend) Submit(context.Context, engineproxy.Project, time.Duration) (*engineproxy.Lease, error) {
	endpoint := engineproxy.Endpoint{Network: "unix", Address: b.socket, Token: "token", InstanceID: "instance"}
	return &engineproxy.Lease{Endpoint: endpoint, Release: func() {}}, nil
}

func (b *backend) Attach(ctx context.Context, _ string) (*engineproxy.Lease, error) {
	return b.Submit(ctx, engineproxy.Project{}, 0)
}

// sidecarOf and enginesOf are the backend as Caddy's modules.
type sidecarOf struct{}

func (sidecarOf) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.ways", New: func() caddy.Module { return new(sidecarOf) }}
}

func (sidecarOf) Key(string) string { return "ways" }

func (sidecarOf) Location() string { return "ways" }

func (sidecarOf) OpenSidecar(context.Context, string, *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	return &caddymodule.OpenedSidecar{Service: &behind, Close: func() error { return nil }}, nil
}

type enginesOf struct{}

func (enginesOf) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.ways", New: func() caddy.Module { return new(enginesOf) }}
}

func (enginesOf) Check(time.Duration) error { return nil }

func (enginesOf) Key(string) string { return "ways" }

func (enginesOf) OpenEngines(context.Context, string, engineproxy.Ledger, *zap.Logger) (*caddymodule.OpenedEngines, error) {
	return &caddymodule.OpenedEngines{Engines: &behind, Close: func() error { return nil }}, nil
}

// Interface guards
var (
	_ caddymodule.SidecarBackend = sidecarOf{}
	_ caddymodule.EnginesBackend = enginesOf{}
)

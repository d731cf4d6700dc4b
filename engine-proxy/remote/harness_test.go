package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

// ample is for limits of the service that no test here is to meet, however busy
// the machine is.
const ample = 10 * time.Minute

func TestMain(m *testing.M) {
	sidebyside.Allow(3)
	os.Exit(m.Run())
}

// world is an engine proxy over fake engines and a real ledger, as a gateway
// sees it.
type world struct {
	t    *testing.T
	dir  string
	far  *fakedriver.Cluster // where engines run; nil: on this machine
	side *service.Service
	key  string
	// proxy is the engine proxy itself, engines the way to it.
	proxy   *fleet.Proxy
	engines engineproxy.Engines
}

// newWorld opens an engine proxy and what a gateway has of it.
func newWorld(t *testing.T, form form) *world {
	t.Helper()
	return newWorldOn(t, nil, form)
}

// newWorldOn is newWorld with engines on a cluster, unless that is nil.
func newWorldOn(t *testing.T, far *fakedriver.Cluster, form form) *world {
	t.Helper()
	w := &world{t: t, dir: keep.Dir(t), far: far}
	var err error
	if w.side, err = service.Open(t.Context(), service.Options{DataDir: w.dir, Policy: policytest.Embedded(t), DecisionTimeout: ample}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.side.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := w.side.Keys().CreateUser(t.Context(), "test", "alice", 100*api.MicroPerTIK); err != nil {
		t.Fatal(err)
	}
	key, err := w.side.Keys().Create(t.Context(), "test", "alice", "key", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	w.key = key.ID
	w.proxy, err = fleet.New(fleet.Options{
		DataDir: w.dir, Driver: w.driver(), Ledger: w.side, Logger: zaptest.NewLogger(t, zaptest.Level(zap.ErrorLevel)),
		Timing: fleet.Timing{
			Queue: ample, Create: ample, Boot: ample, Start: ample, Recover: ample, Silence: ample, Fence: ample,
			StopGrace: 2 * time.Second, Observe: 20 * time.Millisecond,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := wait.Within(context.Background(), wait.Patience)
		defer cancel()
		if err := w.proxy.Close(ctx, fleet.StopAll); err != nil {
			t.Error(err)
		}
	})
	if err := w.proxy.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.engines = form(t, w.dir, w.proxy)
	return w
}

// driver is what runs the engines.
func (w *world) driver() driver.Driver {
	w.t.Helper()
	if w.far != nil {
		return w.far
	}
	engine := programs.Build(w.t, fakeengine.Folder)
	d, err := process.New(process.Options{StateRoot: filepath.Join(w.dir, state.StatesDir), Command: []string{engine}, Shim: engine})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// volume is the folder of a project's volume.
func (w *world) volume(p engineproxy.Project) string {
	if w.far != nil {
		return w.far.Volume(p.ID)
	}
	return filepath.Join(w.dir, "projects", p.ID)
}

// form is a way from a gateway to an engine proxy.
type form func(t *testing.T, dir string, proxy *fleet.Proxy) engineproxy.Engines

var forms = map[string]form{
	"in process": func(t *testing.T, dir string, proxy *fleet.Proxy) engineproxy.Engines {
		near := remote.NewNear(proxy, remote.Options{Dir: filepath.Join(dir, "run")})
		t.Cleanup(func() {
			if err := near.Close(); err != nil {
				t.Error(err)
			}
		})
		return near
	},
	"over a Unix socket": func(t *testing.T, dir string, proxy *fleet.Proxy) engineproxy.Engines {
		at := peer.Address{Network: "unix", Name: filepath.Join(dir, "run", "gw.sock")}
		serve(t, proxy, peer.ServerOptions{Address: at})
		return connect(t, dir, peer.ClientOptions{Address: at})
	},
	"over mutual TLS": overTLS,
}

func overTLS(t *testing.T, dir string, proxy *fleet.Proxy) engineproxy.Engines {
	authority := peertest.NewAuthority(t)
	server := serve(t, proxy, peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"},
		TLS:     authority.Issue("engines"), Names: []string{"gateway"},
	})
	return connect(t, dir, peer.ClientOptions{
		Address: server.Addr(), TLS: authority.Issue("gateway"), ServerName: "engines",
	})
}

// serve serves an engine proxy to gateways.
func serve(t *testing.T, engines engineproxy.Engines, o peer.ServerOptions) *peer.Server {
	t.Helper()
	h := remote.NewHandler(remote.HandlerOptions{Engines: engines, Direct: o.Address.Unix()})
	o.Handler = h
	server, err := peer.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		h.Close()
	})
	return server
}

func connect(t *testing.T, dir string, o peer.ClientOptions) *remote.Client {
	t.Helper()
	way, err := peer.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	c := remote.NewClient(way, remote.Options{Dir: filepath.Join(dir, "run")})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		way.CloseIdle()
	})
	return c
}

// project makes a project of alice.
func (w *world) project() engineproxy.Project {
	w.t.Helper()
	p, err := w.side.CreateProject(w.t.Context(), "alice", api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		w.t.Fatal(err)
	}
	return engineproxy.Project{ID: p.ID, OwnerID: "alice"}
}

// start returns the lease of a project's engine, started if need be.
func (w *world) start(p engineproxy.Project) *engineproxy.Lease {
	w.t.Helper()
	lease, err := w.engines.Submit(w.t.Context(), p, ample)
	if err != nil {
		w.t.Fatal(err)
	}
	if lease.Network != driver.Unix || lease.TLS != nil {
		w.t.Errorf("the gateway got %+v", lease.Endpoint)
	}
	return lease
}

// accept makes a job that ledger and engine know.
func (w *world) accept(p engineproxy.Project) string {
	w.t.Helper()
	id := mint.NewJobID(time.Now())
	if _, err := w.side.Reserve(w.t.Context(), sidecar.Reservation{JobID: id, KeyID: w.key, ProjectID: p.ID}); err != nil {
		w.t.Fatal(err)
	}
	// Before the commit, as a gateway does it: a committed job that its engine
	// does not know is lost.
	w.send(p, http.MethodPost, "/test/accept", contract.JobRecord{JobID: id, ProjectID: p.ID, Status: api.JobRunning})
	if err := w.side.Commit(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// end has the engine end a job, and waits until it is settled.
func (w *world) end(p engineproxy.Project, jobID string, zip []byte) {
	w.t.Helper()
	end := fakeengine.End{JobID: jobID, Status: api.JobCompleted, ZIP: zip}
	if zip != nil {
		end.Files = &api.Files{Count: 1, Bytes: int64(len(zip)), SHA256: sum(zip)}
	}
	w.send(p, http.MethodPost, "/test/end", end)
	// It is archived before it is settled.
	if _, err := w.side.AwaitEnd(w.t.Context(), jobID); err != nil {
		w.t.Fatal(err)
	}
}

// send speaks with a fake engine beside the proxy.
func (w *world) send(p engineproxy.Project, method, path string, in any) {
	w.t.Helper()
	lease, err := w.proxy.Attach(w.t.Context(), p.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	defer lease.Release()
	body, err := json.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := ask(w.t.Context(), lease, method, path, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode >= 300 {
		w.t.Fatalf("%s answered %s", path, res.Status)
	}
}

// ask sends a request to an engine as a gateway does.
func ask(ctx context.Context, at *engineproxy.Lease, method, path string, body *bytes.Reader) (*http.Response, error) {
	if body == nil {
		body = bytes.NewReader(nil)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://engine"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+at.Token)
	r.Header.Set("X-Api-Key", "sk-client")
	transport := &http.Transport{
		DisableKeepAlives: true, ExpectContinueTimeout: ample,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return at.Dial(ctx) },
	}
	return transport.RoundTrip(r)
}

// is checks an error by errors.Is, and says what was wanted.
func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, fmt.Sprint(want))
	}
}

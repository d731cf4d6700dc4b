package caddymodule_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
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

const testJob = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"

func init() {
	caddy.RegisterModule(deskSidecar{})
	caddy.RegisterModule(deskEngines{})
}

// desk is a sidecar and an engine proxy that a test scripts: it knows keys, one
// project with one unfinished job, and one engine.
type desk struct {
	sidecar.Service
	engineproxy.Engines

	dir     string
	socket  string // where the engine listens
	lookups atomic.Int32
	reserve atomic.Int32    // submissions that were admitted
	setting atomic.Value    // of the engines, as the last reload left it
	asked   sidecar.Service // what gateways ask in the desk's place, nil for itself

	mu            sync.Mutex // guards the following fields
	keys          map[api.KeyHash]sidecar.Identity
	down          error // what the store answers, nil when it works
	unwritable    error // why it can't be written to, nil when it can
	undecided     error // of every decision
	decides       int   // decisions that are made before undecided counts
	policyProblem string
}

// desks finds the desk of a configuration by its data folder; Caddy makes
// modules itself.
var desks sync.Map

type deskSidecar struct {
	Option string `json:"option,omitempty"` // one that a reload can't change
}

func (deskSidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.desk", New: func() caddy.Module { return new(deskSidecar) }}
}

func (deskSidecar) Location() string { return "embedded" }

func (s deskSidecar) Key(dir string) string { return "desk:" + dir + s.Option }

func (deskSidecar) OpenSidecar(_ context.Context, dir string, _ *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	found, ok := desks.Load(dir)
	if !ok {
		return nil, fmt.Errorf("no desk for %s", dir)
	}
	d := found.(*desk)
	var service sidecar.Service = d
	if d.asked != nil {
		service = d.asked
	}
	return &caddymodule.OpenedSidecar{Service: service, Close: func() error { return nil }}, nil
}

type deskEngines struct {
	Setting string `json:"setting,omitempty"` // one that a reload changes
}

func (deskEngines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.desk", New: func() caddy.Module { return new(deskEngines) }}
}

func (deskEngines) Check(time.Duration) error { return nil }

func (deskEngines) Key(dir string) string { return "desk:" + dir }

func (deskEngines) OpenEngines(
	_ context.Context, dir string, _ engineproxy.Ledger, _ *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	found, ok := desks.Load(dir)
	if !ok {
		return nil, fmt.Errorf("no desk for %s", dir)
	}
	return &caddymodule.OpenedEngines{Engines: found.(*desk), Close: func() error { return nil }}, nil
}

func (e deskEngines) ReloadEngines(opened *caddymodule.OpenedEngines) error {
	opened.Engines.(*desk).setting.Store(e.Setting)
	return nil
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{dir: dir, socket: filepath.Join(dir, "e.sock"), keys: make(map[api.KeyHash]sidecar.Identity)}
	desks.Store(dir, d)
	t.Cleanup(func() {
		desks.Delete(dir)
		os.RemoveAll(dir)
	})
	return d
}

// engine runs the desk's engine.
func (d *desk) engine(t *testing.T, h http.HandlerFunc) {
	t.Helper()
	d.frozenEngine(t)(h)
}

// frozenEngine runs an engine that is stopped: the kernel takes connections, and
// nobody reads them until the test has it go on.
func (d *desk) frozenEngine(t *testing.T) (goOn func(h http.HandlerFunc)) {
	t.Helper()
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func(h http.HandlerFunc) {
		srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(contract.HeaderInstance, "i") // as every engine does
			h(w, r)
		})}}
		srv.Start()
		t.Cleanup(srv.Close)
	}
}

// key makes a key, active or with the reason why not.
func (d *desk) key(id, reason string) string {
	secret := api.NewKey()
	hash, _ := api.ParseKey(secret)
	decision := policy.Decision{Allow: true, Status: 200, Rule: "svc.key.active"}
	if reason != "" {
		decision = policy.Decision{Status: 401, Error: "The key is " + reason + ".", Reason: reason, Rule: "svc.key." + reason}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys[hash] = sidecar.Identity{KeyID: id, UserID: "user_" + id, Decision: decision}
	return secret
}

func (d *desk) breakStore(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = err
}

func (d *desk) Authenticate(_ context.Context, hash api.KeyHash) (sidecar.Identity, error) {
	d.lookups.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.keys[hash]
	if !ok {
		return sidecar.Identity{}, sidecar.ErrUnknownKey
	}
	return id, nil
}

func (d *desk) Decide(context.Context, string, string, policy.Action) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.undecided != nil {
		return policy.Decision{}, d.undecided
	}
	return policy.Decision{Allow: true, Status: 200, Rule: "svc.project.owner"}, nil
}

func (d *desk) Changes(context.Context, int64) (sidecar.Changes, error) {
	return sidecar.Changes{}, nil
}

func (d *desk) Watch() (<-chan struct{}, func()) { return nil, func() {} }

func (d *desk) WatchJobs(func(string)) (func(), bool) { return func() {}, false }

func (d *desk) Health(context.Context) (sidecar.Health, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sidecar.Health{PolicyRevision: "rev-7", PolicyProblem: d.policyProblem, Writes: d.unwritable}, nil
}

// fail has every decision end with err.
func (d *desk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undecided = err
}

func (d *desk) Project(context.Context, string) (sidecar.Project, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down != nil {
		return sidecar.Project{}, d.down
	}
	return sidecar.Project{}, sidecar.ErrUnknownProject
}

func (d *desk) Projects(context.Context, string, string, int) (api.ProjectList, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return api.ProjectList{}, d.down
}

func (d *desk) Job(_ context.Context, id string) (sidecar.Job, error) {
	if id != testJob {
		return sidecar.Job{}, sidecar.ErrUnknownJob
	}
	return sidecar.Job{Job: api.Job{JobID: id, ProjectID: testProject, Status: api.JobRunning}}, nil
}

func (d *desk) AwaitEnd(ctx context.Context, _ string) (sidecar.Job, error) {
	<-ctx.Done()
	return sidecar.Job{}, ctx.Err()
}

func (d *desk) Reserve(context.Context, sidecar.Reservation) (sidecar.Admission, error) {
	d.reserve.Add(1)
	return sidecar.Admission{SessionID: "ses_x"}, nil
}

func (d *desk) Commit(context.Context, string) error  { return nil }
func (d *desk) Release(context.Context, string) error { return nil }

func (d *desk) lease() *engineproxy.Lease {
	return &engineproxy.Lease{
		Endpoint: engineproxy.Endpoint{Network: "unix", Address: d.socket, Token: "token", InstanceID: "i"},
		Release:  func() {},
	}
}

func (d *desk) Submit(context.Context, engineproxy.Project, time.Duration) (*engineproxy.Lease, error) {
	return d.lease(), nil
}

func (d *desk) Attach(context.Context, string) (*engineproxy.Lease, error) { return d.lease(), nil }

func (d *desk) Fence(context.Context, engineproxy.Project, string) (contract.FenceVerdict, error) {
	return "", engineproxy.ErrUnreachable
}

func (d *desk) List(context.Context) ([]engineproxy.Info, error) {
	return []engineproxy.Info{{State: "ready"}, {State: "ready"}, {State: "starting"}}, nil
}

// gatewayOf is a Caddy in this process, in front of a desk.
type gatewayOf struct {
	*desk
	t     testing.TB
	addr  string // host:port
	admin string // socket of the admin API
	log   string // file of every log
	app   string // options of the app, a line each
}

// globals is a global option block for the tests. Every log goes to one file
// at debug level, filtered as the shipped Caddyfile filters.
const globals = `	admin unix/{admin}
	persist_config off
	metrics
	log {
		level DEBUG
		output file {log}
		format filter {
			wrap json
			request>headers>X-Api-Key delete
		}
	}
`

// gateway runs Caddy with globals and one site, whose block is given.
func (d *desk) gateway(t testing.TB, site string) *gatewayOf {
	t.Helper()
	g := &gatewayOf{
		desk: d, t: t, addr: freeport.Address(t),
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
func (g *gatewayOf) load(globals, site string) {
	g.t.Helper()
	g.replace(g.config(globals, site))
}

// replace replaces the configuration by one in JSON.
func (g *gatewayOf) replace(config []byte) {
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
func (g *gatewayOf) settle() {
	g.t.Helper()
	wait.Until(g.t, "no server of another configuration listens", func() bool { return g.listeners() == 1 })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// listeners returns how many sockets listen on the gateway's port, which they share.
func (g *gatewayOf) listeners() (n int) {
	g.t.Helper()
	address, err := netip.ParseAddrPort(g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	const listening = "0A"
	port := fmt.Sprintf(":%04X", address.Port())
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(table)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // without IPv6 there is one
			g.t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			// sl local_address rem_address st …
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], port) && f[3] == listening {
				n++
			}
		}
	}
	return n
}

func (g *gatewayOf) config(globals, site string) []byte {
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
	return onDesk(g.t, text)
}

// onDesk makes the test's backend that of an adapted configuration.
func onDesk(t testing.TB, config string) []byte {
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
	tree.Apps["svc"]["sidecar"] = map[string]any{"form": "desk"}
	tree.Apps["svc"]["engines"] = map[string]any{"form": "desk"}
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
func (g *gatewayOf) send(method, path, key, body string) answer {
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

func (g *gatewayOf) do(req *http.Request) answer {
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
func (g *gatewayOf) roundTrip(by http.RoundTripper, req *http.Request) *http.Response {
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
func (g *gatewayOf) ask(method, path string) answer {
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
func (g *gatewayOf) logged() string {
	g.t.Helper()
	raw, err := os.ReadFile(g.log)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(raw)
}

// accessLines returns the access log's lines, once there are n.
func (g *gatewayOf) accessLines(n int) []map[string]any {
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

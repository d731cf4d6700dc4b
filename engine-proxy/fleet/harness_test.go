package fleet

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
	"slices"
	"syscall"
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
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	"github.com/svc-games/svc/engine-proxy/state"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

func TestMain(m *testing.M) {
	sidebyside.Allow(3)
	os.Exit(m.Run())
}

// ample is for limits of the service that no test here is to meet, however busy
// the machine is.
const ample = 10 * time.Minute

// elsewhere: rigs run their engines as on other machines.
var elsewhere = os.Getenv(elsewhereVariable) != ""

const elsewhereVariable = "SVC_TEST_ENGINES_ELSEWHERE"

// rig is a proxy over real processes of the fake engine, or over engines of
// other machines.
type rig struct {
	t       *testing.T
	dir     string
	cluster *fakedriver.Cluster // nil: engines run on this machine
	models  string              // where engines elsewhere find models; "": at a port of the kernel's choice
	ledger  *fakeLedger
	options Options
	*Proxy
}

// newRig starts a proxy; change may adjust its options.
func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	if elsewhere {
		return newRigOn(t, fakedriver.NewCluster(filepath.Join(t.TempDir(), "cluster")), change)
	}
	return newRigOn(t, nil, change)
}

// newRigOn is newRig with engines on a cluster, unless that is nil.
func newRigOn(t *testing.T, cluster *fakedriver.Cluster, change func(*Options)) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "engp")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: dir, ledger: newFakeLedger(), cluster: cluster}
	t.Cleanup(func() {
		r.close(StopAll)
		os.RemoveAll(dir)
	})
	r.options = Options{
		DataDir: dir, Ledger: r.ledger, Logger: zaptest.NewLogger(t, zaptest.Level(zap.WarnLevel)),
		Timing: Timing{
			Queue: ample, Create: ample, Boot: ample, Start: ample, Recover: ample, Silence: ample, StopGrace: 10 * time.Second, Observe: 10 * time.Millisecond, Fence: ample,
			Reap: 20 * time.Millisecond, Evict: time.Millisecond, Grace: time.Second, BackOff: time.Hour, BackOffMax: time.Hour,
		},
	}
	if change != nil {
		change(&r.options)
	}
	r.open()
	return r
}

func newProcessDriver(t *testing.T, dataDir string) *process.Driver {
	t.Helper()
	engine := programs.Build(t, fakeengine.Folder)
	d, err := process.New(process.Options{StateRoot: filepath.Join(dataDir, state.StatesDir), Command: []string{engine}, Shim: engine})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// newDriver returns what another proxy drives the rig's engines with.
func (r *rig) newDriver() driver.Driver {
	r.t.Helper()
	switch {
	case r.options.Driver != nil:
		return r.options.Driver
	case r.cluster != nil:
		return r.cluster
	}
	return newProcessDriver(r.t, r.options.DataDir)
}

// open starts a new proxy with a new driver on the rig's directory.
func (r *rig) open() {
	r.t.Helper()
	opts := r.options
	opts.Driver = r.newDriver()
	p, err := New(opts)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Proxy = p
	if err := p.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) close(mode CloseMode) {
	r.t.Helper()
	if r.Proxy == nil {
		return
	}
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	defer cancel()
	if err := r.Proxy.Close(ctx, mode); err != nil {
		r.t.Error(err)
	}
	r.Proxy = nil
}

func (r *rig) volume(projectID string) string {
	if r.cluster != nil {
		return r.cluster.Volume(projectID)
	}
	return state.Layout{Root: r.options.DataDir}.Volume(projectID)
}

func (r *rig) runtime(projectID string) string {
	return state.Layout{Root: r.options.DataDir}.Runtime(projectID)
}

func (r *rig) state(projectID string) string {
	return state.Layout{Root: r.options.DataDir}.State(projectID)
}

func (r *rig) switches(projectID string, s fakeengine.Switches) {
	r.t.Helper()
	if err := fakeengine.WriteSwitches(r.volume(projectID), s); err != nil {
		r.t.Fatal(err)
	}
}

// lease keeps the project's ready engine.
func (r *rig) lease(projectID string) *engineproxy.Lease {
	r.t.Helper()
	lease, err := r.Submit(r.t.Context(), engineproxy.Project{ID: projectID, OwnerID: "owner"}, ample)
	if err != nil {
		r.t.Fatal(err)
	}
	return lease
}

// submit returns the endpoint of the project's ready engine.
func (r *rig) submit(projectID string) engineproxy.Endpoint {
	r.t.Helper()
	lease := r.lease(projectID)
	lease.Release()
	return lease.Endpoint
}

// accept makes a job that the engine has accepted and the ledger committed.
func (r *rig) accept(projectID string, at engineproxy.Endpoint) string {
	r.t.Helper()
	job := r.reserveJob(projectID)
	r.send(at, http.MethodPost, "/test/accept", r.record(job), nil)
	r.ledger.commit(job)
	return job
}

// reserveJob has the ledger count a job that no engine has accepted yet.
func (r *rig) reserveJob(projectID string) string {
	rec := contract.JobRecord{JobID: mint.NewJobID(time.Now()), ProjectID: projectID, Status: api.JobRunning}
	r.ledger.with(func() {
		r.ledger.open[rec.JobID] = contract.OpenJob{JobID: rec.JobID, ProjectID: projectID, OwnerID: "owner", Record: rec, Reserved: true}
	})
	return rec.JobID
}

// record is that of an unfinished job.
func (r *rig) record(jobID string) (rec contract.JobRecord) {
	r.ledger.with(func() { rec = r.ledger.open[jobID].Record })
	return rec
}

func (r *rig) report(at engineproxy.Endpoint) fakeengine.Report {
	r.t.Helper()
	var out fakeengine.Report
	r.send(at, http.MethodGet, "/test/state", nil, &out)
	return out
}

// send speaks with a fake engine beside the proxy.
func (r *rig) send(at engineproxy.Endpoint, method, path string, in, out any) {
	r.t.Helper()
	if err := send(at, method, path, in, out); err != nil {
		r.t.Fatal(err)
	}
}

func send(at engineproxy.Endpoint, method, path string, in, out any) error {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		for { // a dial has two seconds, which pass when the machine stands still
			conn, err := at.Dial(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				return conn, err
			}
		}
	}
	return sendOver(dial, at, method, path, in, out)
}

func sendOver(dial engineclient.DialFunc, at engineproxy.Endpoint, method, path string, in, out any) error {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, at.Network, at.Address)
	}}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, "http://engine"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+at.Token)
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s answered %s", path, res.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(out)
}

// crash has the engine end at once.
func (r *rig) crash(at engineproxy.Endpoint) { _ = send(at, http.MethodPost, "/test/exit", nil, nil) }

func (r *rig) info(projectID string) engineproxy.Info {
	r.t.Helper()
	list, err := r.List(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, i := range list {
		if i.ProjectID == projectID {
			return i
		}
	}
	return engineproxy.Info{ProjectID: projectID, State: engineproxy.StateAbsent}
}

func (r *rig) eventuallyState(projectID string, want engineproxy.State) {
	r.t.Helper()
	wait.Until(r.t, fmt.Sprintf("project's engine becomes %s", want), func() bool { return r.info(projectID).State == want })
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// runs reports whether an engine that was seen is there.
func (r *rig) runs(i engineproxy.Info) bool {
	if r.cluster != nil {
		return slices.Contains(r.cluster.Running(), i.InstanceID)
	}
	return i.PID != 0 && alive(i.PID)
}

// same reports whether two endpoints are one, whoever connects.
func same(a, b engineproxy.Endpoint) bool {
	a.TLS, b.TLS = nil, nil
	return a == b
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/state"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// simDriver runs fake engines within the test, on the clock of its bubble. It
// notes what no driver may ever be asked for.
type simDriver struct {
	mu         sync.Mutex // guards the following fields
	down       bool       // it is unavailable
	startTakes time.Duration
	refuse     func(driver.Spec) error // instead of a start
	computes   map[string]bool         // engines that want the processor, by project
	instances  map[string]*simInstance // by id
	starts     map[string]int          // by project
	newest     map[string]uint64       // generation, by project
	watchers   map[chan driver.Event]bool
	broken     []string // promises that were not kept
}

// simInstance is an engine and what the driver knows of it.
type simInstance struct {
	spec     driver.Spec
	engine   *fakeengine.Engine
	server   *http.Server
	listener *pipeListener
	exit     *driver.Exit
	reported uint64 // generation, as the driver tells it
}

func newSimDriver() *simDriver {
	return &simDriver{
		instances: map[string]*simInstance{}, starts: map[string]int{}, newest: map[string]uint64{}, computes: map[string]bool{},
		watchers: map[chan driver.Event]bool{},
	}
}

func (d *simDriver) with(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *simDriver) Name() string { return "sim" }

func (d *simDriver) Capabilities() driver.Capabilities {
	return driver.Capabilities{Files: true, Processes: true}
}

func (d *simDriver) Check(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reachLocked()
}

func (d *simDriver) reachLocked() error {
	if d.down {
		return driver.ErrUnavailable
	}
	return nil
}

func (d *simDriver) Start(ctx context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	d.mu.Lock()
	takes, refuse, err := d.startTakes, d.refuse, d.reachLocked()
	d.mu.Unlock()
	if err != nil {
		return driver.Handle{}, err
	}
	if progress != nil {
		progress(driver.PhaseCreating)
	}
	if err := clock.Sleep(ctx, clock.System{}, takes); takes > 0 && err != nil {
		return driver.Handle{}, err
	}
	if refuse != nil {
		if err := refuse(s); err != nil {
			return driver.Handle{}, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.Generation <= d.newest[s.ProjectID] {
		d.broken = append(d.broken, fmt.Sprintf("generation %d was started after %d", s.Generation, d.newest[s.ProjectID]))
	}
	d.newest[s.ProjectID] = s.Generation
	for _, other := range d.instances {
		if other.spec.Volume == s.Volume && other.exit == nil {
			d.broken = append(d.broken, "two engines on one volume")
		}
	}
	d.starts[s.ProjectID]++
	i := &simInstance{spec: s, listener: newPipeListener()}
	d.instances[s.InstanceID] = i
	token, err := os.ReadFile(s.TokenFile)
	if err != nil {
		return driver.Handle{}, err
	}
	exit := -1
	i.engine, err = fakeengine.Open(fakeengine.Config{
		ProjectID: s.ProjectID, InstanceID: s.InstanceID, Token: string(token), Volume: s.Volume,
		Exit: func(code int) {
			exit = code // at once, while it opens
			go d.end(s.InstanceID, &driver.Exit{Code: code, Reason: driver.ReasonExited, At: time.Now()})
		},
	})
	if err != nil || exit >= 0 {
		i.exit = &driver.Exit{Code: max(exit, 1), Reason: driver.ReasonExited, At: time.Now()}
		return handleOf(s.InstanceID), nil
	}
	i.server = &http.Server{Handler: i.engine}
	go func() { _ = i.server.Serve(i.listener) }()
	return handleOf(s.InstanceID), nil
}

func handleOf(id string) driver.Handle {
	return driver.Handle{Driver: "sim", Data: []byte(`"` + id + `"`)}
}

// Computes implements driver.Sampler.
func (d *simDriver) Computes(_ context.Context, h driver.Handle) (bool, error) {
	obs, err := d.observe(h)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.computes[obs.ProjectID], err
}

// end lets an instance end, and hints at it.
func (d *simDriver) end(id string, exit *driver.Exit) {
	d.mu.Lock()
	i := d.instances[id]
	if i == nil || i.exit != nil {
		d.mu.Unlock()
		return
	}
	i.exit = exit
	hint := driver.Event{ProjectID: i.spec.ProjectID, InstanceID: id}
	for w := range d.watchers {
		select {
		case w <- hint:
		default: // hints may be lost
		}
	}
	d.mu.Unlock()
	_ = i.server.Close()
	i.listener.Close()
}

func (d *simDriver) observe(h driver.Handle) (driver.Observed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachLocked(); err != nil {
		return driver.Observed{}, err
	}
	for id, i := range d.instances {
		if string(handleOf(id).Data) == string(h.Data) {
			return i.observed(id), nil
		}
	}
	return driver.Observed{}, driver.ErrNotFound
}

func (i *simInstance) observed(id string) driver.Observed {
	return driver.Observed{
		ProjectID: i.spec.ProjectID, InstanceID: id, Generation: i.reported, Handle: handleOf(id), Volume: i.spec.Volume,
		Endpoint: driver.UnixEndpoint(i.spec.Socket), Running: i.exit == nil, Exit: i.exit,
	}
}

func (d *simDriver) Adopt(_ context.Context, h driver.Handle) (driver.Observed, error) {
	return d.observe(h)
}

func (d *simDriver) Inspect(_ context.Context, h driver.Handle) (driver.Observed, error) {
	return d.observe(h)
}

func (d *simDriver) List(context.Context) ([]driver.Observed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachLocked(); err != nil {
		return nil, err
	}
	var out []driver.Observed
	for id, i := range d.instances {
		if i.exit == nil {
			out = append(out, i.observed(id))
		}
	}
	return out, nil
}

func (d *simDriver) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	obs, err := d.observe(h)
	if errors.Is(err, driver.ErrNotFound) || err == nil && !obs.Running {
		return nil
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	polite := d.instances[obs.InstanceID].engine.Terminates()
	d.mu.Unlock()
	exit := &driver.Exit{Code: 0, Reason: driver.ReasonExited, At: time.Now()}
	if !polite {
		if err := clock.Sleep(ctx, clock.System{}, grace); err != nil {
			return err
		}
		exit = &driver.Exit{Code: -1, Signal: 9, Reason: driver.ReasonKilled, At: time.Now()}
	}
	d.end(obs.InstanceID, exit)
	return nil
}

func (d *simDriver) Remove(_ context.Context, h driver.Handle) error {
	obs, err := d.observe(h)
	if errors.Is(err, driver.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if obs.Running {
		d.broken = append(d.broken, "an engine that runs was removed")
	}
	delete(d.instances, obs.InstanceID)
	return nil
}

func (d *simDriver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	events := make(chan driver.Event, 16)
	d.with(func() { d.watchers[events] = true })
	context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, events)
		close(events)
	})
	return events, nil
}

func (d *simDriver) Logs(context.Context, driver.Handle, int64) ([]byte, error) {
	return []byte("what it wrote\n"), nil
}

// dial connects to the engine that listens on a socket.
func (d *simDriver) dial(ctx context.Context, _, address string) (net.Conn, error) {
	d.mu.Lock()
	var l *pipeListener
	for _, i := range d.instances {
		if i.spec.Socket == address && i.exit == nil {
			l = i.listener
		}
	}
	d.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: syscall.ECONNREFUSED}
	}
	return l.dial(ctx)
}

// running returns the ids of the instances that run.
func (d *simDriver) running() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for id, i := range d.instances {
		if i.exit == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// close ends what runs, so that no goroutine is left.
func (d *simDriver) close() {
	for _, id := range d.running() {
		d.end(id, &driver.Exit{Code: -1, Signal: 9, Reason: driver.ReasonKilled, At: time.Now()})
	}
}

// pipeListener is a socket within the test.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
	case <-ctx.Done():
	}
	return nil, &net.OpError{Op: "dial", Net: "unix", Err: syscall.ECONNREFUSED}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// sim is a proxy in a bubble: its time is the bubble's, and passes as fast as
// nothing happens.
type sim struct {
	t      *testing.T
	dir    string
	driver *simDriver
	ledger *fakeLedger
	opts   Options
	*Proxy
}

// simulate runs a test in a bubble.
func simulate(t *testing.T, change func(*Options), test func(t *testing.T, s *sim)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &sim{t: t, dir: dir, driver: newSimDriver(), ledger: newFakeLedger()}
		s.opts = Options{
			DataDir: dir, Driver: s.driver, Ledger: s.ledger,
			Logger: zaptest.NewLogger(t, zaptest.Level(zap.DPanicLevel)),
		}
		if change != nil {
			change(&s.opts)
		}
		s.open()
		defer s.driver.close()
		defer s.close()
		test(t, s)
		for _, what := range s.driver.broken {
			t.Error(what)
		}
	})
}

func (s *sim) open() {
	s.t.Helper()
	p, err := New(s.opts)
	if err != nil {
		s.t.Fatal(err)
	}
	p.dial, p.unserved = s.driver.dial, true
	s.Proxy = p
	if err := p.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// close is what a kill of the proxy leaves: engines that run.
func (s *sim) close() {
	if s.Proxy == nil {
		return
	}
	if err := s.Proxy.Close(context.Background(), KeepEngines); err != nil {
		s.t.Error(err)
	}
	s.Proxy = nil
}

func (s *sim) restart() {
	s.t.Helper()
	s.close()
	s.open()
}

func (s *sim) volume(projectID string) string { return state.Layout{Root: s.dir}.Volume(projectID) }

func (s *sim) switches(projectID string, sw fakeengine.Switches) {
	s.t.Helper()
	if err := fakeengine.WriteSwitches(s.volume(projectID), sw); err != nil {
		s.t.Fatal(err)
	}
}

// pass lets time pass, and everything happen that is due.
func (s *sim) pass(d time.Duration) {
	time.Sleep(d) // the bubble's clock
	synctest.Wait()
}

// ready returns a project whose engine is ready.
func (s *sim) ready(owner string) string {
	s.t.Helper()
	project := api.NewProjectID()
	s.submit(project, owner)
	return project
}

// submit has the project's engine made ready.
func (s *sim) submit(project, owner string) {
	s.t.Helper()
	lease, err := s.Submit(s.t.Context(), engineproxy.Project{ID: project, OwnerID: owner}, time.Minute)
	if err != nil {
		s.t.Fatal(err)
	}
	lease.Release()
	synctest.Wait()
}

func (s *sim) state(project string) engineproxy.State { return s.info(project).State }

func (s *sim) info(project string) engineproxy.Info {
	s.t.Helper()
	d, err := s.Show(s.t.Context(), project)
	if errors.Is(err, engineproxy.ErrAbsent) {
		return engineproxy.Info{ProjectID: project, State: engineproxy.StateAbsent}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return d.Info
}

func (s *sim) want(project string, state engineproxy.State) {
	s.t.Helper()
	if got := s.state(project); got != state {
		d, _ := s.Show(s.t.Context(), project)
		s.t.Fatalf("state %s, want %s; %+v", got, state, d.Transitions)
	}
}

// send speaks with a project's engine beside the proxy.
func (s *sim) send(project, path string, in any) error {
	lease, err := s.Attach(s.t.Context(), project)
	if err != nil {
		return err
	}
	defer lease.Release()
	return sendOver(s.driver.dial, lease.Endpoint, http.MethodPost, path, in, nil)
}

// report is what a project's engine says of itself.
func (s *sim) report(project string) (r fakeengine.Report) {
	s.t.Helper()
	lease, err := s.Attach(s.t.Context(), project)
	if err != nil {
		s.t.Fatal(err)
	}
	defer lease.Release()
	if err := sendOver(s.driver.dial, lease.Endpoint, http.MethodGet, "/test/state", nil, &r); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// accept makes a job that the engine has accepted and the ledger committed.
func (s *sim) accept(project string) string {
	s.t.Helper()
	job := s.reserve(project, "owner")
	if err := s.send(project, "/test/accept", job.Record); err != nil {
		s.t.Fatal(err)
	}
	s.ledger.commit(job.JobID)
	return job.JobID
}

// reserve has the ledger count a job that no engine has accepted yet.
func (s *sim) reserve(project, owner string) contract.OpenJob {
	rec := contract.JobRecord{JobID: api.NewJobID(time.Now()), ProjectID: project, Status: api.JobRunning}
	job := contract.OpenJob{JobID: rec.JobID, ProjectID: project, OwnerID: owner, Record: rec, Reserved: true}
	s.ledger.with(func() { s.ledger.open[job.JobID] = job })
	return job
}

func (s *sim) end(project, job string) error {
	return s.send(project, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted})
}

var _ driver.Sampler = (*simDriver)(nil)

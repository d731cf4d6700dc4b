package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// kill is one cell of the matrix: who dies, and when.
type kill struct {
	*rig
	victim  string
	project string
	first   engineproxy.Endpoint // the engine that ran when the kill came
	job     string
	zip     []byte
	files   api.Files
	lease   *engineproxy.Lease
	waiting chan error // of what waited when the kill came
	daemon  *dockertest.Daemon
}

// Victims of the matrix. The gateway's kills are in test/e2e, where a gateway
// is a process; those of Docker's daemon in TestKillMatrixOfTheDaemon.
const (
	victimProxy  = "engine proxy"
	victimEngine = "engine"
	victimShim   = "shim"
	// Docker's daemon stops what an earlier one ran, or takes it up again.
	victimDaemon   = "dockerd"
	victimRestorer = "dockerd with live-restore"
)

// moment is a row of the matrix.
type moment struct {
	name     string
	switches fakeengine.Switches
	options  func(*Options)
	begin    func(k *kill)
	sees     map[string]string // what the client sees, by victim
	after    func(k *kill)
}

var moments = []moment{
	{
		name:     "starting",
		switches: fakeengine.Switches{HoldReady: true},
		options: func(o *Options) { // long enough for the one who waits to hear of the failure
			o.Timing.BackOff, o.Timing.BackOffMax = 3*time.Second, 3*time.Second
		},
		begin: (*kill).waitForStart,
		sees: map[string]string{
			victimProxy:    "503, and the next submission finds the engine that was started",
			victimEngine:   "503 that says how the engine ended, and after the back-off another one",
			victimShim:     "503 that says how the engine ended, and after the back-off another one",
			victimDaemon:   "the engine that was started, or 503; and afterwards another one",
			victimRestorer: "the engine that was started",
		},
		after: (*kill).checkStart,
	},
	{
		name:  "ready with job",
		begin: (*kill).work,
		sees: map[string]string{
			victimProxy:    "the job goes on and completes",
			victimEngine:   "the job fails as engine_restarted",
			victimShim:     "the job fails as engine_restarted",
			victimDaemon:   "the job fails as engine_restarted",
			victimRestorer: "the job goes on and completes",
		},
		after: (*kill).checkJob,
	},
	{
		name:  "stream open",
		begin: (*kill).stream,
		sees: map[string]string{
			victimProxy:    "the stream goes on from the same engine",
			victimEngine:   "the stream waits, and goes on from the next engine",
			victimShim:     "the stream waits, and goes on from the next engine",
			victimDaemon:   "the stream waits, and goes on from the next engine",
			victimRestorer: "the stream goes on from the same engine",
		},
		after: (*kill).checkStream,
	},
	{
		name:     "zip half sent",
		switches: fakeengine.Switches{HoldZIP: true},
		begin:    (*kill).pull,
		sees: map[string]string{
			victimProxy:    "the job runs until its ZIP is kept, and then its ZIP is whole",
			victimEngine:   "the job runs until its ZIP is kept, and then its ZIP is whole",
			victimShim:     "the job runs until its ZIP is kept, and then its ZIP is whole",
			victimDaemon:   "the job runs until its ZIP is kept, and then its ZIP is whole",
			victimRestorer: "the job runs until its ZIP is kept, and then its ZIP is whole",
		},
		after: (*kill).checkFiles,
	},
	{
		name:     "draining",
		switches: fakeengine.Switches{HoldDrain: true},
		options:  func(o *Options) { o.IdleTTL = 50 * time.Millisecond },
		begin:    func(k *kill) { k.first = k.submit(k.project); k.eventuallyState(k.project, engineproxy.StateDraining) },
		sees: map[string]string{
			victimProxy:    "the next submission is taken",
			victimEngine:   "the next submission is taken",
			victimShim:     "the next submission is taken",
			victimDaemon:   "the next submission is taken",
			victimRestorer: "the next submission is taken",
		},
	},
	{
		name:     "stopping",
		switches: fakeengine.Switches{IgnoreTerm: true},
		options:  func(o *Options) { o.Timing.StopGrace = 5 * time.Second },
		begin:    (*kill).stop,
		sees: map[string]string{
			victimProxy:    "the next submission is taken",
			victimEngine:   "the next submission is taken",
			victimShim:     "the next submission is taken",
			victimDaemon:   "the next submission is taken",
			victimRestorer: "the next submission is taken",
		},
	},
}

// TestKillMatrix kills everyone at every moment. Whatever the client saw: the
// job ends once, what it left is served whole, nothing runs twice, and the
// project's next job is taken.
func TestKillMatrix(t *testing.T) {
	t.Parallel()
	victims := []string{victimProxy, victimEngine, victimShim}
	if elsewhere {
		victims = victims[:2] // there is no shim
	}
	for _, victim := range victims {
		for _, m := range moments {
			t.Run(victim+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				k := &kill{victim: victim}
				k.play(t, m, func(change func(*Options)) *rig { return newRig(t, change) })
			})
		}
	}
}

// play kills at a moment and looks at what comes of it.
func (k *kill) play(t *testing.T, m moment, newRig func(change func(*Options)) *rig) {
	t.Helper()
	t.Log("the client sees:", m.sees[k.victim])
	k.project, k.waiting = api.NewProjectID(), make(chan error, 1)
	k.rig = newRig(func(o *Options) {
		o.Timing.BackOff, o.Timing.BackOffMax = 20*time.Millisecond, 50*time.Millisecond
		o.Timing.LostAfter = 100 // a slow machine must not make it one
		if m.options != nil {
			m.options(o)
		}
		if m.switches.IgnoreTerm && k.fatal() {
			o.Timing.StopGrace = ample // the kill comes before it is over
		}
	})
	k.switches(k.project, m.switches)
	m.begin(k)
	// The next engine may start, and read this, at once.
	next := m.switches
	next.Recover = !k.survives()
	next.IgnoreTerm = next.IgnoreTerm && !k.fatal()
	k.switches(k.project, next)
	k.strike()
	k.switches(k.project, fakeengine.Switches{Recover: !k.survives()})
	if m.after != nil {
		m.after(k)
	}
	k.checkNext()
}

// survives reports whether the engine outlives the kill.
func (k *kill) survives() bool { return k.victim == victimProxy || k.victim == victimRestorer }

// fatal reports whether the kill is the engine's end, whoever asks it to end.
func (k *kill) fatal() bool { return k.victim == victimEngine || k.victim == victimShim }

// strike kills the victim. The engine proxy's end is that of its goroutines:
// nothing is drained, stopped or written any more.
func (k *kill) strike() {
	k.t.Helper()
	switch k.victim {
	case victimProxy:
		k.close(KeepEngines)
		k.options.IdleTTL = 0 // the next one does not stop engines to heal itself
		k.open()
	case victimEngine:
		wait.Until(k.t, "the engine's process is known", func() bool { return k.known(k.info(k.project)) })
		if i := k.info(k.project); k.cluster != nil {
			k.cluster.Kill(i.InstanceID)
		} else {
			_ = syscall.Kill(i.PID, syscall.SIGKILL) // it may be just ending
			k.dead(i.PID)
		}
	case victimShim:
		record, err := shim.ReadRecord(k.state(k.project))
		if err != nil {
			k.t.Fatalf("the shim's process is not known: %v", err)
		}
		_ = syscall.Kill(record.PID, syscall.SIGKILL)
		k.dead(record.PID)
		if record.Engine != 0 {
			k.dead(record.Engine)
		}
	case victimDaemon, victimRestorer:
		k.killDaemon()
	}
}

// dead waits for the end of a process. Until then what holds it goes on: an
// engine whose shim is killed could be ready before it ends as well.
func (k *kill) dead(pid int) {
	k.t.Helper()
	wait.Until(k.t, "who was killed is dead", func() bool {
		st, err := procfs.ReadStat(pid)
		return procfs.Gone(err) || err == nil && st.Dead()
	})
}

// known reports whether the engine exists, and it is known as what.
func (k *kill) known(i engineproxy.Info) bool {
	if k.cluster != nil {
		return slices.Contains(k.cluster.Running(), i.InstanceID)
	}
	return i.PID != 0
}

func (k *kill) waitForStart() {
	go func() {
		lease, err := k.Submit(context.WithoutCancel(k.t.Context()), engineproxy.Project{ID: k.project, OwnerID: "owner"}, ample)
		if err == nil {
			lease.Release()
		}
		k.waiting <- err
	}()
	wait.Until(k.t, "the engine exists", func() bool {
		i := k.info(k.project)
		return i.State == engineproxy.StateStarting && k.known(i)
	})
}

func (k *kill) checkStart() {
	err := <-k.waiting
	var failed *engineproxy.FailedError
	switch {
	case k.victim == victimProxy && !errors.Is(err, engineproxy.ErrUnreachable), k.victim == victimRestorer && err != nil:
		k.t.Errorf("the waiting submission ended with %v", err)
	case (k.victim == victimEngine || k.victim == victimShim) && !errors.As(err, &failed):
		k.t.Errorf("the waiting submission ended with %v, want a FailedError", err)
	case k.victim == victimDaemon && err != nil && !errors.As(err, &failed):
		k.t.Errorf("the waiting submission ended with %v, want none, or a FailedError", err)
	}
	k.next()
	if starts := fakeengine.Starts(k.volume(k.project)); k.survives() && starts != 1 {
		k.t.Errorf("%d starts, want 1", starts)
	}
}

func (k *kill) work() {
	k.first = k.submit(k.project)
	k.job = k.accept(k.project, k.first)
}

func (k *kill) checkJob() {
	if k.survives() {
		k.same()
		k.send(k.first, http.MethodPost, "/test/end", fakeengine.End{JobID: k.job, Status: api.JobCompleted}, nil)
	}
	want := api.JobFailed
	if k.survives() {
		want = api.JobCompleted
	}
	if end := k.ended(); end.Status != want || want == api.JobFailed && end.Failure.Code != api.FailureEngineRestarted {
		k.t.Errorf("the job ended as %s %+v", end.Status, end.Failure)
	}
}

func (k *kill) stream() {
	k.work()
	var err error
	if k.lease, err = k.Attach(k.t.Context(), k.project); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kill) checkStream() {
	if err := k.AwaitReady(k.t.Context(), k.project); err != nil {
		k.t.Fatal(err)
	}
	wait.Until(k.t, "the stream finds its engine", func() bool {
		lease, err := k.Attach(k.t.Context(), k.project)
		if err != nil {
			return false
		}
		defer lease.Release()
		return (lease.InstanceID == k.first.InstanceID) == k.survives()
	})
	k.lease.Release()
	k.checkJob()
}

func (k *kill) pull() {
	k.work()
	k.zip, k.files = zipped(k.t)
	k.send(k.first, http.MethodPost, "/test/end", fakeengine.End{JobID: k.job, Status: api.JobCompleted, Files: &k.files, ZIP: k.zip}, nil)
	wait.Until(k.t, "half of the ZIP is there", func() bool {
		half, _ := filepath.Glob(filepath.Join(k.dir, "archive", ".new-*", "files.zip"))
		return len(half) > 0
	})
}

func (k *kill) checkFiles() {
	if end := k.ended(); end.Status != api.JobCompleted {
		k.t.Errorf("the job ended as %s %+v", end.Status, end.Failure)
	}
	f, err := k.Files(k.t.Context(), k.job)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, k.zip) || f.SHA256 != k.files.SHA256 {
		k.t.Errorf("the ZIP has %d bytes, %v, want %d", len(got), err, len(k.zip))
	}
}

func (k *kill) stop() {
	k.first = k.submit(k.project)
	go func() { _ = k.Stop(context.WithoutCancel(k.t.Context()), k.project, true) }()
	k.eventuallyState(k.project, engineproxy.StateStopping)
}

// same checks that the engine was adopted, and not started again.
func (k *kill) same() {
	k.t.Helper()
	if err := k.AwaitReady(k.t.Context(), k.project); err != nil {
		k.t.Fatal(err)
	}
	if i := k.info(k.project); i.InstanceID != k.first.InstanceID || fakeengine.Starts(k.volume(k.project)) != 1 {
		k.t.Errorf("instance %s after %d starts, want %s after 1", i.InstanceID, fakeengine.Starts(k.volume(k.project)), k.first.InstanceID)
	}
}

// ended waits for the end of the job in the ledger: there is one, and the
// archive had it before.
func (k *kill) ended() (end endedJob) {
	k.t.Helper()
	wait.Until(k.t, "the job has ended", func() bool {
		n := 0
		k.ledger.with(func() {
			for _, rec := range k.ledger.applied {
				if rec.Kind == "ended" && rec.JobID == k.job {
					end, n = endedJob{rec.Record.Status, rec.Record.Failure}, n+1
				}
			}
		})
		if n > 1 {
			k.t.Fatalf("the job ended %d times", n)
		}
		return n == 1
	})
	if _, err := k.Events(k.t.Context(), k.job); err != nil {
		k.t.Errorf("the archive has nothing of the job: %v", err)
	}
	return end
}

type endedJob struct {
	Status  api.JobStatus
	Failure *api.Failure
}

// next submits until it is let in, as a client does that is told to come back.
func (k *kill) next() engineproxy.Endpoint {
	k.t.Helper()
	var at engineproxy.Endpoint
	wait.Until(k.t, "a submission is let in", func() bool {
		lease, err := k.Submit(k.t.Context(), engineproxy.Project{ID: k.project, OwnerID: "owner"}, time.Second)
		if err != nil {
			return false
		}
		lease.Release()
		at = lease.Endpoint
		return true
	})
	return at
}

// checkNext has one more job done from acceptance to end, and looks that one
// engine runs.
func (k *kill) checkNext() {
	k.t.Helper()
	wait.Until(k.t, "a job is taken", func() bool {
		lease, err := k.Submit(k.t.Context(), engineproxy.Project{ID: k.project, OwnerID: "owner"}, time.Second)
		if err != nil {
			return false
		}
		defer lease.Release()
		k.job = k.reserveJob(k.project)
		if send(lease.Endpoint, http.MethodPost, "/test/accept", k.record(k.job), nil) != nil {
			k.ledger.with(func() { delete(k.ledger.open, k.job) })
			return false
		}
		k.ledger.commit(k.job)
		return send(lease.Endpoint, http.MethodPost, "/test/end", fakeengine.End{JobID: k.job, Status: api.JobCompleted}, nil) == nil
	})
	k.ended()
	list, err := k.opts.Driver.List(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	running := 0
	for _, obs := range list {
		if obs.ProjectID == k.project && obs.Running {
			running++
		}
	}
	if running > 1 {
		k.t.Errorf("%d engines run", running)
	}
	k.ledger.with(func() {
		last := map[string]uint64{}
		for _, rec := range k.ledger.applied {
			if last[rec.FeedID]++; rec.Seq != last[rec.FeedID] {
				k.t.Errorf("record %d was applied as number %d", rec.Seq, last[rec.FeedID])
			}
		}
		if len(k.ledger.open) > 0 {
			k.t.Errorf("slots are held by %v", k.ledger.open)
		}
	})
}

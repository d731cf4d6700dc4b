package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
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
		half, _ := filepath.Glob(filepath.Join(k.dir, "archive", ".tmp", "*", "files.zip"))
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

package fleet

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
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
	k.project, k.waiting = mint.NewProjectID(), make(chan error, 1)
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

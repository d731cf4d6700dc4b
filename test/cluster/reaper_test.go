package cluster

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/point"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// stand is a machine with a project whose engine is warm.
type stand struct {
	*rig.Machine
	t       *testing.T
	key     rig.Key
	project string
	done    int64 // jobs that were accepted so far
}

func newStand(t *testing.T, s script.Engine, env ...string) *stand {
	t.Helper()
	return newStandIn(t, "", s, env...)
}

// newStandIn is newStand with its data in a folder, "" for a new one.
func newStandIn(t *testing.T, dir string, s script.Engine, env ...string) *stand {
	t.Helper()
	b := &stand{Machine: rig.LaunchMachine(t, dir, s, env...), t: t}
	b.NewUser("alice", "100")
	b.key = b.NewKey("alice")
	b.project = b.NewProject(b.key)
	b.Finish(b.key, b.Generate(b.key, b.project))
	b.done = 1
	return b
}

// hold makes the next life of the gateway wait at a point, and starts it. held
// waits until it does, letGo lets it go on.
func (b *stand) hold(name string) (held, letGo func()) {
	b.t.Helper()
	file := filepath.Join(keep.Dir(b.t), "hold")
	b.Env = append(b.Env, point.HoldEnv+"="+name+"="+file)
	b.restart(func() {})
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
	held = func() {
		b.t.Helper()
		wait.Until(b.t, "the gateway is held "+name, func() bool {
			_, err := os.Stat(file + ".held")
			return err == nil
		})
	}
	letGo = func() {
		b.t.Helper()
		if err := os.Remove(file); err != nil {
			b.t.Fatal(err)
		}
	}
	return held, letGo
}

// restart kills the gateway, does something and starts it again.
func (b *stand) restart(meanwhile func()) {
	b.t.Helper()
	if err := b.Kill(); err != nil {
		b.t.Fatal(err)
	}
	meanwhile()
	if err := errors.Join(b.Start(), b.Ready(b.t.Context())); err != nil {
		b.t.Fatal(err)
	}
}

// killEngines kills the engines and waits until they are gone.
func (b *stand) killEngines() {
	b.t.Helper()
	for _, pid := range b.Engines() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			b.t.Fatal(err)
		}
	}
	wait.Until(b.t, "the engines are gone", func() bool { return len(b.Engines()) == 0 })
}

// submission is one whose answer may take its time.
type submission struct {
	answer rig.Answer
	err    error
}

// submit submits a job in the background.
func (b *stand) submit() <-chan submission {
	done := make(chan submission, 1)
	go func() {
		ctx, cancel := wait.Context(b.t)
		defer cancel()
		a, err := b.Submit(ctx, b.key, b.project)
		done <- submission{a, err}
	}()
	return done
}

// accepted returns the submission's job, once it was answered with 200.
func (b *stand) accepted(s <-chan submission) api.Submission {
	b.t.Helper()
	got := <-s
	if got.err != nil || got.answer.Status != http.StatusOK {
		b.t.Fatalf("the submission was answered with %d %s, %v", got.answer.Status, got.answer.Body, got.err)
	}
	var sub api.Submission
	b.Decode(got.answer.Body, &sub)
	b.done++
	return sub
}

// wantFree waits until no slot is taken, and wants what was accepted counted.
func (b *stand) wantFree() {
	b.t.Helper()
	wait.Until(b.t, "every slot is free", func() bool { return b.Usage(b.key).RunningJobs == 0 })
	if u := b.Usage(b.key); u.JobsThisMonth != b.done { // the day may have changed meanwhile
		b.t.Errorf("%d jobs are counted, %d were accepted", u.JobsThisMonth, b.done)
	}
}

// states returns what the ledger's rows say of the project's jobs.
func (b *stand) states() map[string]string {
	b.t.Helper()
	s, err := store.OpenSQLite(b.t.Context(), filepath.Join(b.Dir, "svc.db"))
	if err != nil {
		b.t.Fatal(err)
	}
	states := make(map[string]string)
	err = s.View(b.t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var id, state string
			err := scan(&id, &state)
			states[id] = state
			return err
		}, "SELECT id, state FROM jobs")
	})
	if err := errors.Join(err, s.Close()); err != nil {
		b.t.Fatal(err)
	}
	return states
}

// inState returns a job whose row is in a state, once there is one.
func (b *stand) inState(state string) api.Submission {
	b.t.Helper()
	sub := api.Submission{ProjectID: b.project}
	wait.Until(b.t, "a row is "+state, func() bool {
		for id, s := range b.states() {
			if s == state {
				sub.JobID = id
				return true
			}
		}
		return false
	})
	return sub
}

func TestReservationOfAKilledGatewayIsReleasedOnceTheEngineFencedIt(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	b.Env = append(b.Env, point.DieEnv+"=reserved=1")
	b.restart(func() {})
	if got := <-b.submit(); got.err == nil {
		t.Fatalf("the gateway was to die, and answered %d", got.answer.Status)
	}
	<-b.Exited()
	b.Env = b.Env[:len(b.Env)-1]
	b.restart(func() {})
	b.wantFree()
}

func TestReservationOfAnEngineThatIsGoneIsReleasedByTheEngineThatComesBack(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	b.Env = append(b.Env, point.DieEnv+"=reserved=1")
	b.restart(func() {})
	if got := <-b.submit(); got.err == nil {
		t.Fatalf("the gateway was to die, and answered %d", got.answer.Status)
	}
	<-b.Exited()
	b.Env = b.Env[:len(b.Env)-1]
	b.restart(b.killEngines)
	b.wantFree() // nobody submits: the reaper itself has the engine started
	if len(b.Engines()) == 0 {
		t.Error("no engine was started to be asked")
	}
}

func TestReservationCountsAsLongAsItsEngineDoesNotAnswer(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	b.Script(script.Engine{Stall: true, Deaf: true})
	a, err := b.Submit(t.Context(), b.key, b.project)
	if err != nil || a.Status != http.StatusGatewayTimeout || a.Header.Get("Svc-Job-Id") == "" {
		t.Fatalf("an engine that never answers: %d %s, %v", a.Status, a.Body, err)
	}
	wait.Until(t, "the reaper has asked in vain, twice", func() bool {
		return strings.Count(b.Log(), "resolving overdue reservation failed") >= 2
	})
	if u := b.Usage(b.key); u.RunningJobs != 1 || u.JobsThisMonth != b.done+1 {
		t.Errorf("the usage is %+v: what may be a job does not count", u)
	}
	b.Script(script.Engine{})
	b.wantFree()
}

func TestFeedThatOvertakesTheCommitCommits(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	held, letGo := b.hold("before commit")
	s := b.submit()
	held()
	// The job begins, ends and is charged while its commit is on its way.
	wait.Until(t, "the job is settled", func() bool {
		for _, state := range b.states() {
			if state != "settled" {
				return false
			}
		}
		return len(b.states()) == 2
	})
	letGo()
	sub := b.accepted(s)
	if job := b.Job(b.key, sub); job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
		t.Errorf("the record is %+v", job)
	}
	b.wantFree()
}

func TestCommitAfterTheDeadlineIsTheReapersOwn(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{Hold: "stay"})
	letEnd := b.Hold("stay")
	first := b.Generate(b.key, b.project) // it keeps the engine busy: the next one reports nothing
	b.done++
	held, letGo := b.hold("before commit")
	s := b.submit()
	held()
	second := b.inState("reserved")
	wait.Until(t, "the reaper has committed it", func() bool { return b.states()[second.JobID] == "active" })
	letGo()
	if sub := b.accepted(s); sub.JobID != second.JobID {
		t.Errorf("the submission became %s, reserved was %s", sub.JobID, second.JobID)
	}
	letEnd()
	for _, sub := range []api.Submission{first, second} {
		if job := b.Finish(b.key, sub); job.Status != api.JobCompleted {
			t.Errorf("the job ended as %s", job.Status)
		}
	}
	b.wantFree()
}

func TestWhatAnEngineSaysAfterACancelChangesNothing(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{Hold: "stay"})
	letEnd := b.Hold("stay")
	sub := b.Generate(b.key, b.project)
	b.done++
	wait.Until(t, "the job runs", func() bool { return b.Job(b.key, sub).Status == api.JobRunning })
	a := b.Call(b.key, http.MethodDelete, "/v1/generate/"+sub.JobID+"?projectId="+b.project, nil)
	if a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"status":"cancelled"`) {
		t.Fatalf("cancelling: %d %s", a.Status, a.Body)
	}
	b.wantFree() // at once, and the job keeps its place in day and month
	letEnd()
	// The engine comes back and tells its feed again.
	b.restart(b.killEngines)
	b.Finish(b.key, b.Generate(b.key, b.project))
	b.done++
	if job := b.Job(b.key, sub); job.Status != api.JobCancelled || job.TIKSpent != 0 {
		t.Errorf("the record is %+v", job)
	}
	b.wantFree()
}

func TestJobOfAVolumeThatWasMadeAnewEndsAndTheNewFeedCounts(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{Hold: "stay"})
	letEnd := b.Hold("stay")
	sub := b.Generate(b.key, b.project)
	b.done++
	wait.Until(t, "the job runs", func() bool { return b.Job(b.key, sub).Status == api.JobRunning })
	b.restart(func() {
		b.killEngines()
		if err := os.RemoveAll(b.Volume(b.project)); err != nil {
			t.Fatal(err)
		}
	})
	if job := b.Finish(b.key, sub); job.Status != api.JobFailed || job.Failure == nil || job.Failure.Code != api.FailureEngineLost {
		t.Errorf("the record is %+v", job)
	}
	letEnd()
	next := b.Finish(b.key, b.Generate(b.key, b.project))
	b.done++
	if next.Status != api.JobCompleted || next.TIKSpent != api.MicroPerTIK {
		t.Errorf("the job of the new volume: %+v", next)
	}
	b.wantFree()
}

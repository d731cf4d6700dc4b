package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/test/child"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

func TestEngineOutlivesTheProxyAndIsAdopted(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	before := r.info(project)
	r.close(KeepEngines)
	if !r.runs(before) {
		t.Fatal("closing stopped the engine")
	}
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	after := r.info(project)
	if after.PID != before.PID || after.Generation != before.Generation || after.InstanceID != at.InstanceID {
		t.Fatalf("adopted %+v, want %+v", after, before)
	}
	if got := r.submit(project); !same(got, at) {
		t.Fatalf("submission went to %v, want %v", got, at)
	}
	if got := fakeengine.Starts(r.volume(project)); got != 1 {
		t.Fatalf("%d starts, want 1", got)
	}
}

func TestStartThatWasNotNotedIsFoundByItsArguments(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.submit(project)
	before := r.info(project)
	r.close(KeepEngines)
	// As if the proxy had died between starting the engine and noting it.
	e, err := state.ReadEntry(r.state(project))
	if err != nil {
		t.Fatal(err)
	}
	e.Handle = driver.Handle{}
	if err := state.WriteEntry(r.state(project), e); err != nil {
		t.Fatal(err)
	}
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if after := r.info(project); after.PID != before.PID {
		t.Fatalf("pid %d, want %d", after.PID, before.PID)
	}
}

func TestForeignProcessInTheJournalIsNeverSignalled(t *testing.T) {
	t.Parallel()
	foreign := exec.Command("sleep", "600")
	if err := child.Start(foreign); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = foreign.Process.Kill(); _ = foreign.Wait() }()
	for _, c := range []struct {
		name  string
		alter func(data map[string]any)
	}{
		{"recycled id", func(data map[string]any) { data["pid"] = foreign.Process.Pid }},
		{"same start time", func(data map[string]any) {
			data["pid"] = foreign.Process.Pid
			data["startTicks"] = startTicks(t, foreign.Process.Pid)
		}},
		{"another boot", func(data map[string]any) { data["bootId"] = "00000000-0000-0000-0000-000000000000" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			project := mint.NewProjectID()
			r.submit(project)
			pid := r.info(project).PID
			e, err := state.ReadEntry(r.state(project))
			if err != nil {
				t.Fatal(err)
			}
			r.close(StopAll)
			if alive(pid) {
				t.Fatal("StopAll left the engine running")
			}
			var data map[string]any
			if err := json.Unmarshal(e.Handle.Data, &data); err != nil {
				t.Fatal(err)
			}
			c.alter(data)
			if e.Handle.Data, err = json.Marshal(data); err != nil {
				t.Fatal(err)
			}
			if err := state.WriteEntry(r.state(project), e); err != nil {
				t.Fatal(err)
			}
			r.open()
			r.eventuallyState(project, engineproxy.StateAbsent)
			if !alive(foreign.Process.Pid) {
				t.Fatal("the stranger was signalled")
			}
			r.submit(project)
			if got := r.info(project).Generation; got != e.Generation+1 {
				t.Errorf("generation %d, want %d", got, e.Generation+1)
			}
		})
	}
}

func startTicks(t *testing.T, pid int) uint64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	ticks, err := strconv.ParseUint(strings.Fields(string(raw))[21], 10, 64) // "sleep" has no blank
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}

func TestSecondProxyOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	opts := r.options
	opts.Driver = newProcessDriver(t, opts.DataDir)
	second, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close(t.Context(), KeepEngines)
	if err := second.Start(t.Context()); err == nil {
		t.Fatal("two proxies work on one data directory")
	}
}

func TestStopIdleLeavesAWorkingEngineToBeAdopted(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	idle, working := mint.NewProjectID(), mint.NewProjectID()
	r.submit(idle)
	r.accept(working, r.submit(working))
	atRest, atWork := r.info(idle), r.info(working)
	r.close(StopIdle)
	if r.runs(atRest) || !r.runs(atWork) {
		t.Fatalf("idle engine alive: %t, working engine alive: %t", r.runs(atRest), r.runs(atWork))
	}
	r.open()
	if err := r.AwaitReady(t.Context(), working); err != nil {
		t.Fatal(err)
	}
	if got := r.info(working); got.InstanceID != atWork.InstanceID || got.PID != atWork.PID {
		t.Fatalf("adopted %+v, want %+v", got, atWork)
	}
}

// TestStopIdleStopsAnEngineWhoseLastReportsAreOnTheirWay: whoever saw the job's end may
// stop the service before the ledger has acknowledged it.
func TestStopIdleStopsAnEngineWhoseLastReportsAreOnTheirWay(t *testing.T) {
	t.Parallel()
	for name, ledger := range map[string]bool{"that the ledger takes": true, "that no ledger takes": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			core, logs := observer.New(zap.InfoLevel)
			r := newRig(t, func(o *Options) { o.Logger = zap.New(core) })
			project := mint.NewProjectID()
			at := r.submit(project)
			job := r.accept(project, at)
			r.ledger.with(func() { r.ledger.down = true })
			r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
			wait.Until(t, "the proxy knows of the records", func() bool { return r.info(project).Activity.UnackedFeed == 3 })
			before := r.info(project)
			undone := zap.String("cause", string(lifecycle.CauseUndone))
			done := make(chan struct{})
			go func() {
				defer close(done)
				r.close(StopIdle)
			}()
			wait.Until(t, "the engine refuses to drain", func() bool { return logs.FilterField(undone).Len() > 0 })
			r.ledger.with(func() { r.ledger.down = !ledger })
			wait.For(t, "the stop ends", done)
			if runs := r.runs(before); runs == ledger {
				t.Errorf("after the stop the engine runs: %t", runs)
			}
			r.ledger.with(func() { r.ledger.down = false })
			r.open() // which stops it in the end
		})
	}
}

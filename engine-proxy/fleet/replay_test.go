package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// replaying is a ledger with runs that are to be played again.
type replaying struct {
	*fakeLedger

	mu    sync.Mutex // guards the following fields
	asked int        // how often for runs
	due   []contract.Replays
	got   []contract.Replayed
}

func (l *replaying) RunsToReplay(context.Context) (next contract.Replays, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if len(l.due) > 0 {
		next, l.due = l.due[0], l.due[1:]
	}
	return next, nil
}

func (l *replaying) RunsReplayed(_ context.Context, r contract.Replayed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, r)
	return nil
}

func (l *replaying) played() []contract.Replayed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.got)
}

// run is a run that the fake engine says to come to an end.
func run(t *testing.T, stream string, e contract.ReplayEnding) contract.Replay {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return contract.Replay{Stream: stream, Run: 1, Log: string(text)}
}

// archived puts a job with a ZIP into the archive of a rig that is to be opened.
func archived(t *testing.T, dir string, zip []byte) string {
	t.Helper()
	id := mint.NewJobID(time.Now())
	folder := filepath.Join(dir, "archive", id)
	record, err := json.Marshal(contract.JobRecord{JobID: id, ProjectID: mint.NewProjectID(), Status: api.JobCompleted, Files: &api.Files{Count: 1}})
	if err = errors.Join(err, os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "record.json"), record, 0o600),
		os.WriteFile(filepath.Join(folder, "files.zip"), zip, 0o600)); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestRunsArePlayedAgainByAnEngineThatLeavesNothing: each game has an engine of its own,
// without a volume, which is gone when its runs were played.
func TestRunsArePlayedAgainByAnEngineThatLeavesNothing(t *testing.T) {
	zip := bytes.Repeat([]byte("x"), 1<<20)
	l := &replaying{fakeLedger: newFakeLedger()}
	r := newRigOn(t, nil, func(o *Options) {
		won := contract.ReplayEnding{Over: true, Outcome: "win", Score: 7}
		l.due = []contract.Replays{
			{ProjectID: mint.NewProjectID(), JobID: mint.NewJobID(time.Now()), Runs: []contract.Replay{run(t, "c", won)}},
			{ProjectID: mint.NewProjectID(), JobID: archived(t, o.DataDir, zip), Runs: []contract.Replay{run(t, "a", won), {Stream: "b", Run: 2, Log: "?"}}},
		}
		o.Ledger, o.Timing.Replay = l, time.Millisecond
	})
	wait.Until(t, "all runs were played again", func() bool { return len(l.played()) == 2 })
	second, first := l.played()[0].Endings, l.played()[1].Endings
	if want := (contract.ReplayEnding{Stream: "a", Run: 1, Over: true, Outcome: "win", Score: 7, Steps: 1 << 20}); len(first) != 2 || first[0] != want || first[1].Failed == "" || first[1].Run != 2 {
		t.Errorf("got %+v", first)
	}
	if len(second) != 1 || second[0].Failed != "the game is no longer kept" {
		t.Errorf("of a game that is not kept: %+v", second)
	}
	wantNoReplayer(t, r)
	if list, err := r.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("it is shown as a project's engine: %+v, %v", list, err)
	}
	if _, err := os.Lstat(r.volume(r.replaysID())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it has a volume: %v", err)
	}
}

func wantNoReplayer(t *testing.T, r *rig) {
	t.Helper()
	wait.Until(t, "the engine without a volume is gone", func() bool {
		list, err := r.opts.Driver.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(list, func(obs driver.Observed) bool { return obs.ProjectID == r.replaysID() })
	})
}

// TestEngineOfAKilledProxyIsEndedBeforeTheNextPlaysRunsAgain: nobody else ends it.
func TestEngineOfAKilledProxyIsEndedBeforeTheNextPlaysRunsAgain(t *testing.T) {
	l := &replaying{fakeLedger: newFakeLedger()}
	r := newRigOn(t, nil, func(o *Options) { o.Ledger = l })
	wait.Until(t, "the proxy has ended what there was", func() bool { // and not the engine that is started here
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.asked > 0
	})
	spec, by, token, err := r.replaySpec(r.replaysID())
	if err != nil {
		t.Fatal(err)
	}
	client, err := r.startReplayer(t.Context(), spec, by, token)
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
	r.close(KeepEngines)
	r.options.Timing.Replay = time.Millisecond
	l.due = []contract.Replays{{JobID: archived(t, r.dir, nil), Runs: []contract.Replay{run(t, "a", contract.ReplayEnding{Over: true})}}}
	r.open()
	wait.Until(t, "the run was played again", func() bool { return len(l.played()) == 1 })
	wantNoReplayer(t, r)
}

// TestEngineThatPlaysRunsGoesForAJob: with one place on the machine a job has it as if
// nothing played, and the runs lose no try.
func TestEngineThatPlaysRunsGoesForAJob(t *testing.T) {
	l := &replaying{fakeLedger: newFakeLedger()}
	r := newRigOn(t, nil, func(o *Options) {
		l.due = []contract.Replays{{JobID: archived(t, o.DataDir, nil), Runs: []contract.Replay{{Stream: "a", Run: 1, Log: fakeengine.RunWithoutEnd}}}}
		o.Ledger, o.Timing.Replay, o.MaxEngines = l, time.Millisecond, 1
	})
	r.ledger = l.fakeLedger
	wait.Until(t, "an engine plays runs again", func() bool {
		list, err := r.opts.Driver.List(t.Context())
		return err == nil && slices.ContainsFunc(list, func(obs driver.Observed) bool { return obs.ProjectID == r.replaysID() })
	})
	r.submit(mint.NewProjectID())
	wait.Until(t, "the run is given back", func() bool { return len(l.played()) == 1 })
	if e := l.played()[0].Endings; len(e) != 1 || e[0] != (contract.ReplayEnding{Stream: "a", Run: 1, Unplayed: true}) {
		t.Errorf("got %+v", e)
	}
	wantNoReplayer(t, r)
}

// TestGameThatBreaksItsEngineHoldsUpNoOther: its runs are not verified, and the next game
// has its turn.
func TestGameThatBreaksItsEngineHoldsUpNoOther(t *testing.T) {
	l := &replaying{fakeLedger: newFakeLedger()}
	newRigOn(t, nil, func(o *Options) {
		l.due = []contract.Replays{
			{ProjectID: mint.NewProjectID(), JobID: archived(t, o.DataDir, nil), Runs: []contract.Replay{{Stream: "a", Run: 1, Log: fakeengine.RunThatSaysMuch}}},
			{ProjectID: mint.NewProjectID(), JobID: archived(t, o.DataDir, nil), Runs: []contract.Replay{run(t, "b", contract.ReplayEnding{Over: true})}},
		}
		o.Ledger, o.Timing.Replay = l, time.Millisecond
	})
	wait.Until(t, "both games had their turn", func() bool { return len(l.played()) == 2 })
	if e := l.played()[0].Endings[0]; e.Failed == "" || e.Unplayed || l.played()[0].Took <= 0 {
		t.Errorf("the first comes to %+v", l.played()[0])
	}
	if e := l.played()[1].Endings[0]; !e.Over {
		t.Errorf("the other comes to %+v", e)
	}
}

// forgetful is a driver that removes nothing at first.
type forgetful struct {
	driver.Driver
	failed atomic.Bool
}

func (d *forgetful) Remove(ctx context.Context, h driver.Handle) error {
	if d.failed.CompareAndSwap(false, true) {
		return errors.New("not now")
	}
	return d.Driver.Remove(ctx, h)
}

// TestEngineThatCouldNotBeEndedIsEndedSoon, not with the next run that somebody plays.
func TestEngineThatCouldNotBeEndedIsEndedSoon(t *testing.T) {
	l := &replaying{fakeLedger: newFakeLedger()}
	var d *forgetful
	r := newRigOn(t, nil, func(o *Options) {
		d = &forgetful{Driver: newProcessDriver(t, o.DataDir)}
		l.due = []contract.Replays{{JobID: archived(t, o.DataDir, nil), Runs: []contract.Replay{run(t, "a", contract.ReplayEnding{Over: true})}}}
		o.Driver, o.Ledger, o.Timing.Replay = d, l, time.Millisecond
	})
	wait.Until(t, "it could not be removed", d.failed.Load)
	wantNoReplayer(t, r)
	if e := l.played(); len(e) != 1 || !e[0].Endings[0].Over {
		t.Errorf("the run comes to %+v", e)
	}
}

var _ engineproxy.Replays = (*replaying)(nil)

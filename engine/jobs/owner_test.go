package jobs_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/swap"
	"github.com/svc-games/svc/test/wait"
)

// deliver makes the files of a game as a generator does.
func deliver(req gen.Request, files map[string]string) error {
	var changes []swap.Change
	for _, name := range slices.Sorted(maps.Keys(files)) {
		changes = append(changes, swap.Change{Name: gen.Deliverable + "/" + name, Data: []byte(files[name])})
	}
	return req.Change(changes, 0)
}

func TestNoJobChangesALockedFile(t *testing.T) {
	dir := t.TempDir()
	g := script(func(_ context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
		if !slices.Equal(req.Locked, []string{"src/b.js"}) && req.Prompt != "first" {
			t.Errorf("the generator is told of %v", req.Locked)
		}
		return gen.Result{Summary: "made", Changed: true}, deliver(req, map[string]string{"index.html": req.Prompt, "src/b.js": strings.TrimSuffix(req.Prompt, " but for b")})
	})
	e := start(t, dir, g)
	e.finish(e.submit("first"))
	if err := e.SetLock("src/b.js", true); err != nil {
		t.Fatal(err)
	}
	e = e.restart(g)
	failed := e.finish(e.submit("second"))
	if failed.Status != api.JobFailed || !strings.Contains(failed.Failure.Message, "src/b.js is locked") {
		t.Errorf("a job that changes it: %+v", failed)
	}
	if text, err := e.File("index.html", 0); string(text) != "first" {
		t.Errorf("the other file is %q, %v", text, err)
	}
	if kept := e.finish(e.submit("first but for b")); kept.Status != api.JobCompleted {
		t.Errorf("a job that leaves it: %+v", kept.Failure)
	}
	space, err := e.Workspace()
	if err != nil || space.Files[0].Locked || !space.Files[1].Locked {
		t.Errorf("%+v, %v", space.Files, err)
	}
	if saved, err := e.Edit(t.Context(), jobs.Edit{Path: "src/b.js", Data: []byte("by hand"), Was: space.Files[1].SHA256}); err != nil || saved.Head == 0 {
		t.Errorf("a person saves it: %+v, %v", saved, err)
	}
	if err := e.SetLock("../b.js", true); !errors.Is(err, jobs.ErrPath) {
		t.Errorf("a path out of the game: %v", err)
	}
	if err := e.SetLock("src/b.js", false); err != nil || len(e.Locks()) != 0 {
		t.Errorf("%v, %v", e.Locks(), err)
	}
}

// TestAJobEndsAfterItsStep: nothing of the step is broken off, and what was written is kept.
func TestAJobEndsAfterItsStep(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if req.Prompt != "steps" {
			return write(ctx, req, rep)
		}
		rep.Progress(api.StageWriting, 10, "step 1")
		close(entered)
		<-release
		if ctx.Err() != nil {
			t.Error("the step was broken off")
		}
		rep.Progress(api.StageWriting, 20, "step 2")
		<-ctx.Done()
		return gen.Result{Written: map[string][]byte{"index.html": []byte("half")}}, context.Cause(ctx)
	}))
	e.finish(e.submit("before"))
	id, waits, next := e.submit("steps"), e.submit("waits"), e.submit("next")
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the step", entered)
	for _, one := range []string{id, waits} {
		if err := e.StopAfterStep(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.StopAfterStep("job_unknown"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("an unknown job: %v", err)
	}
	close(release)
	for _, one := range []string{waits, id} {
		if record := e.finish(one); record.Status != api.JobCancelled {
			t.Errorf("%+v", record)
		}
	}
	if record := e.finish(next); record.Status != api.JobCompleted {
		t.Errorf("the next one: %+v", record)
	}
	list := e.Revisions().Revisions
	if len(list) != 3 || list[1].Kind != "draft" || !list[1].Unproven || list[1].Job != id || list[0].Unproven {
		t.Fatalf("%+v", list)
	}
	if text, err := e.File("index.html", list[1].ID); string(text) != "half" {
		t.Errorf("the draft has %q, %v", text, err)
	}
	if _, err := e.RestoreTo(t.Context(), list[1].ID, list[0].ID); err != nil || !e.Revisions().Revisions[0].Unproven {
		t.Errorf("restored: %+v, %v", e.Revisions().Revisions[0], err)
	}
}

func TestWhatAJobHasBuiltIsShownWhileItRuns(t *testing.T) {
	built, release := make(chan struct{}), make(chan struct{})
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		rep.Built(map[string][]byte{"index.html": []byte("built")})
		close(built)
		<-release
		return write(ctx, req, rep)
	}))
	id := e.submit("a game")
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the build", built)
	if text, err := e.Built("index.html"); string(text) != "built" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := e.Built("none.js"); !errors.Is(err, jobs.ErrNoFile) {
		t.Errorf("a file that is not there: %v", err)
	}
	close(release)
	e.finish(id)
	wait.Until(t, "the job's build is gone", func() bool {
		_, err := e.Built("index.html")
		return errors.Is(err, jobs.ErrNoFile)
	})
}

// judging is a generator that says of each game what a test wants.
type judging struct {
	script
	against chan []string
}

func (j judging) Prove(context.Context, map[string][]byte) ([]string, error) { return <-j.against, nil }

func (judging) Follow(_ context.Context, game map[string][]byte, check []byte) (string, error) {
	if string(check) == string(game["index.html"]) {
		return "", nil
	}
	return "it does not hold", nil
}

func TestARevisionIsProvenWithoutAJob(t *testing.T) {
	g := judging{script(write), make(chan []string)}
	e := start(t, t.TempDir(), g)
	if _, err := e.Check(t.Context()); !errors.Is(err, jobs.ErrNoFile) {
		t.Errorf("an empty project: %v", err)
	}
	saved, err := e.Edit(t.Context(), jobs.Edit{Path: "index.html", Data: []byte("by hand")})
	if err != nil || !e.Revisions().Revisions[0].Unproven {
		t.Fatalf("%+v, %v", saved, err)
	}
	for _, against := range [][]string{{"G02 it throws"}, nil} {
		if begun, err := e.Check(t.Context()); err != nil || begun.Rev != saved.Head || !begun.Running {
			t.Fatalf("%+v, %v", begun, err)
		}
		if _, err := e.Check(t.Context()); !errors.Is(err, jobs.ErrChecking) {
			t.Errorf("a second one: %v", err)
		}
		g.against <- against
		var found contract.Workspace
		wait.Until(t, "the check ends", func() bool {
			found, err = e.Workspace()
			return err == nil && !found.Check.Running
		})
		if found.Check.OK != (against == nil) || !slices.Equal(found.Check.Against, against) {
			t.Errorf("%+v", found.Check)
		}
	}
	if r := e.Revisions().Revisions[0]; !r.Proven || r.Unproven {
		t.Errorf("%+v", r)
	}
	for check, want := range map[string]string{"by hand": "", "{}": "it does not hold"} {
		if played, err := e.Play(t.Context(), []byte(check)); err != nil || played.Against != want {
			t.Errorf("%s: %+v, %v", check, played, err)
		}
	}
}

func TestWhatLeavesNoChoiceIsMendedWithoutAModel(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	text := "const turn = Phaser.Math.PI2;\ndebugger;\n"
	before, err := e.Edit(t.Context(), jobs.Edit{Path: "src/a.js", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.SetLock("src/a.js", true); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Mend(t.Context()); !errors.Is(err, jobs.ErrLocked) {
		t.Errorf("a locked file: %v", err)
	}
	if err := e.SetLock("src/a.js", false); err != nil {
		t.Fatal(err)
	}
	saved, err := e.Mend(t.Context())
	if err != nil || saved.Head != before.Head+1 || len(saved.Mended) == 0 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if now, err := e.File("src/a.js", 0); err != nil || strings.Contains(string(now), "PI2") || strings.Contains(string(now), "debugger") {
		t.Errorf("%q, %v", now, err)
	}
	if again, err := e.Mend(t.Context()); err != nil || again.Head != saved.Head || len(again.Mended) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestATextIsFoundInWhatPeopleWrite(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	for name, text := range map[string]string{"src/a.js": "const Speed = 1;\n\nuse(speed);\n", "lib/x.min.js": "speed", "b.png": "speed\x00\xff"} {
		if _, err := e.Edit(t.Context(), jobs.Edit{Path: name, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := e.Search("SPEED")
	want := []contract.FoundLine{{File: "src/a.js", Line: 1, Text: "const Speed = 1;"}, {File: "src/a.js", Line: 3, Text: "use(speed);"}}
	if err != nil || !slices.Equal(found.Lines, want) || found.More {
		t.Errorf("%+v, %v", found, err)
	}
}

package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	g := script(func(_ context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
		if !slices.Equal(req.Locked, []string{"src/b.js"}) && req.Prompt != "first" {
			t.Errorf("the generator is told of %v", req.Locked)
		}
		return gen.Result{Summary: "made", Changed: true}, deliver(req, map[string]string{"index.html": req.Prompt, "src/b.js": strings.TrimSuffix(req.Prompt, " but for b")})
	})
	e := start(t, t.TempDir(), g)
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
	if back := e.finish(e.submit("undo")); back.Status != api.JobCompleted {
		t.Errorf("a job that takes back what left it: %+v", back.Failure)
	}
	space, err := e.Workspace()
	if err != nil || space.Files[0].Locked || !space.Files[1].Locked {
		t.Errorf("%+v, %v", space.Files, err)
	}
	if saved, err := e.Edit(t.Context(), jobs.Edit{Path: "src/b.js", Data: []byte("by hand"), Was: space.Files[1].SHA256}); err != nil || saved.Head == 0 {
		t.Errorf("a person saves it: %+v, %v", saved, err)
	}
	if back := e.finish(e.submit("undo")); back.Status != api.JobFailed || !strings.Contains(back.Failure.Message, "src/b.js is locked") {
		t.Errorf("a job that would take it back: %+v", back)
	}
	if err := e.SetLock("src/b.js", false); err != nil || len(e.Locks()) != 0 {
		t.Errorf("%v, %v", e.Locks(), err)
	}
}

func TestOnlyAFileOfTheGameCanBeLocked(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	var sum string
	for name, text := range map[string]string{"src/main.js": "export const a = 1;\n", "index.html": `<!doctype html><script src="game.js"></script>`, "b.txt": "b"} {
		saved, err := e.Edit(t.Context(), jobs.Edit{Path: name, Data: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		if name == "b.txt" {
			sum = saved.SHA256
		}
	}
	for name, want := range map[string]error{"../b.js": jobs.ErrPath, "none.js": jobs.ErrNoFile, "game.js": jobs.ErrMade, "b.txt": nil, "src/main.js": nil} {
		for range 2 {
			if err := e.SetLock(name, true); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
	if _, err := e.Edit(t.Context(), jobs.Edit{Path: "b.txt", Delete: true, Was: sum}); err != nil {
		t.Fatal(err)
	}
	if err := e.SetLock("never.js", false); err != nil || !slices.Equal(e.Locks(), []string{"src/main.js"}) {
		t.Errorf("the lock of a file that is gone stays: %v, %v", e.Locks(), err)
	}
}

// TestALockEndsWithItsFile: a job that makes the file anew makes one of its own.
func TestALockEndsWithItsFile(t *testing.T) {
	g := script(func(_ context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
		if len(req.Locked) > 0 {
			t.Errorf("the generator is told of %v", req.Locked)
		}
		return gen.Result{Summary: "made", Changed: true}, deliver(req, map[string]string{"index.html": req.Prompt, "b.txt": req.Prompt})
	})
	e := start(t, t.TempDir(), g)
	first, err := e.Edit(t.Context(), jobs.Edit{Path: "index.html", Data: []byte("mine")})
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []func(sum string) error{
		func(sum string) error {
			_, err := e.Edit(t.Context(), jobs.Edit{Path: "b.txt", Delete: true, Was: sum})
			return err
		},
		func(string) error {
			_, err := e.RestoreTo(t.Context(), first.Head, e.Revisions().Revisions[0].ID)
			return err
		},
	} {
		saved, err := e.Edit(t.Context(), jobs.Edit{Path: "b.txt", Data: []byte("mine")})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.SetLock("b.txt", true); err != nil {
			t.Fatal(err)
		}
		if err := gone(saved.SHA256); err != nil || len(e.Locks()) != 0 {
			t.Fatalf("%v, %v", e.Locks(), err)
		}
	}
	for _, prompt := range []string{"first", "second"} {
		if job := e.finish(e.submit(prompt)); job.Status != api.JobCompleted {
			t.Errorf("%+v", job.Failure)
		}
	}
}

// TestAFileIsLockedOnceThatIsSaid: what a job was allowed to change by then is changed.
func TestAFileIsLockedOnceThatIsSaid(t *testing.T) {
	goes := make(chan struct{}, 1)
	dir := t.TempDir()
	e := start(t, dir, script(func(_ context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
		goes <- struct{}{}
		return gen.Result{Summary: "made", Changed: true}, deliver(req, map[string]string{"index.html": req.Prompt, "b.txt": req.Prompt})
	}))
	e.finish(e.submit("0"))
	<-goes
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "workspace", gen.Deliverable, "b.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for i := range 30 {
		id := e.submit(fmt.Sprint(i + 1))
		e.ack(e.until(contract.FeedStarted))
		wait.For(t, "the job", goes)
		if err := e.SetLock("b.txt", true); err != nil {
			t.Fatal(err)
		}
		then := read()
		e.finish(id)
		if now := read(); now != then {
			t.Fatalf("%q became %q in round %d", then, now, i)
		}
		if err := e.SetLock("b.txt", false); err != nil {
			t.Fatal(err)
		}
	}
}

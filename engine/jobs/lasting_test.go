package jobs_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
)

// lastingRequest asks for what stays with the project, and for what does not.
func lastingRequest(instructions string) api.GenerateRequest {
	return api.GenerateRequest{
		ProjectID: project, Prompt: "a passing wish", Instructions: &instructions,
		Context: []api.ContextBlock{{Name: "notes", Content: "a passing note"}},
		Skills: []api.Skill{
			{Key: "jump", Title: "Jump", Files: []api.SkillFile{{Path: "jump.js", Content: "jump()"}}},
			{Key: "passing", Title: "A passing skill"},
		},
		Settings: api.Settings{ReasoningLevel: api.ReasoningLow},
	}
}

// inheriting is a generator that tells what its jobs inherit.
func inheriting(got chan<- gen.Request) script {
	return func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		got <- req
		return write(ctx, req, rep)
	}
}

func checkInherited(t *testing.T, got gen.Request, instructions string) {
	t.Helper()
	if got.Instructions != instructions || got.Settings.ReasoningLevel != api.ReasoningLow {
		t.Errorf("the next job inherits %q and %s", got.Instructions, got.Settings.ReasoningLevel)
	}
	if !slices.ContainsFunc(got.Skills, func(s api.Skill) bool {
		return s.Key == "jump" && len(s.Files) == 1 && s.Files[0].Content == "jump()"
	}) {
		t.Errorf("the next job inherits the skills %+v", got.Skills)
	}
}

// checkPassing proves that nothing of the volume holds what was a job's alone.
func checkPassing(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "passing") {
			t.Errorf("%s: %s", path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatAnAcceptedJobChangesForGoodStaysThoughItNeverWorked(t *testing.T) {
	for name, end := range map[string]func(e *engine, id string){
		"cancelled before its start is acknowledged": func(e *engine, id string) {
			e.until(contract.FeedStarted)
			if _, err := e.Cancel(e.t.Context(), id); err != nil {
				e.t.Fatal(err)
			}
		},
		"stopped at its start": func(e *engine, id string) {
			e.ack(e.until(contract.FeedStarted), contract.Stop{JobID: id, Code: api.FailureTIKExhausted})
		},
		"failed by a restart": func(e *engine, id string) { e.until(contract.FeedStarted) },
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan gen.Request, 1)
			e := start(t, t.TempDir(), inheriting(got))
			id := e.submitRequest(lastingRequest("Be kind."))
			end(e, id)
			if name == "failed by a restart" {
				e = e.restart(inheriting(got))
			}
			e.finish(id)
			e.finish(e.submit("jump over logs"))
			checkInherited(t, <-got, "Be kind.")
			checkPassing(t, e.dir)
		})
	}
}

func TestJobsThatAreCancelledInTheQueueChangeTheProjectInOrderOfAcceptance(t *testing.T) {
	entered, release, got := make(chan string, 1), make(chan struct{}), make(chan gen.Request, 2)
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if req.Prompt == "first" {
			return until(entered, release)(ctx, req, rep)
		}
		return inheriting(got)(ctx, req, rep)
	}))
	first := e.submit("first")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	one, two := e.submitRequest(lastingRequest("One.")), e.submitRequest(lastingRequest("Two."))
	between := e.submit("jump between")
	three := e.submitRequest(lastingRequest("Three."))
	after := e.submit("jump after")
	for _, id := range []string{three, two, one} {
		if _, err := e.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	e.finish(first)
	e.finish(between)
	checkInherited(t, <-got, "Two.")
	e.finish(after)
	checkInherited(t, <-got, "Three.")
	checkPassing(t, e.dir)
}

func TestJobCancelledInTheQueueChangesTheProjectAfterAKillToo(t *testing.T) {
	entered, got := make(chan string, 1), make(chan gen.Request, 1)
	e := start(t, t.TempDir(), until(entered, nil))
	first := e.submit("first")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	cancelled := e.submitRequest(lastingRequest("Be kind."))
	if _, err := e.Cancel(t.Context(), cancelled); err != nil {
		t.Fatal(err)
	}
	killed := start(t, copyVolume(t, e.dir), inheriting(got))
	killed.last = e.last
	ended := map[string]bool{}
	for !ended[first] || !ended[cancelled] {
		rec := killed.until(contract.FeedEnded)
		killed.ack(rec)
		ended[rec.JobID] = true
	}
	killed.finish(killed.submit("jump over logs"))
	checkInherited(t, <-got, "Be kind.")
	checkPassing(t, killed.dir)
}

package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/test/wait"
)

// byHand is what edit writes at the head of a file.
const byHand = "// By hand.\n"

// edit changes a file of a project's game as a person does.
func edit(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, "workspace", gen.Deliverable, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte(byHand), text...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// embedded is the generator without models.
func embedded(t *testing.T) gen.Generator {
	t.Helper()
	g, err := gen.New(gen.Options{Frameworks: gentest.Frameworks(t)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// cheap is a request with a prompt that takes as little work as can be.
func cheap(prompt string) api.GenerateRequest {
	return api.GenerateRequest{ProjectID: project, Prompt: prompt, Settings: api.Settings{ReasoningLevel: api.ReasoningLow}}
}

func TestFileEditedByHandIsInEveryLaterRevision(t *testing.T) {
	t.Parallel() // the game is made in earnest, which takes a while
	e := start(t, t.TempDir(), embedded(t))
	e.finish(e.submitRequest(cheap("a fox flies through gaps")))
	e.stop()
	edit(t, e.dir, "src/core/math.js")
	e = e.restart(embedded(t))
	if record := e.finish(e.submitRequest(cheap("make it faster"))); record.Status != api.JobCompleted {
		t.Fatalf("%+v", record.Failure)
	}
	e.stop()
	s := history(t, e.dir)
	if got := kindsOf(s); !slices.Equal(got, []revs.Kind{revs.Generated, revs.Import, revs.Authored}) {
		t.Fatalf("%v", got)
	}
	for id := 2; id <= 3; id++ {
		if files, err := s.Files(id); err != nil || !strings.HasPrefix(string(files["game/src/core/math.js"]), byHand) {
			t.Errorf("revision %d: the edit is lost: %v", id, err)
		}
	}
}

func TestDraftReplacesNoFileThatSomeoneEdited(t *testing.T) {
	t.Parallel()
	e, id := refining(t)
	dir := copyVolume(t, e.dir)
	path := filepath.Join(dir, "workspace", gen.Deliverable, "index.html")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := start(t, dir, script(write))
	next.last = e.last
	next.finish(id)
	next.stop()
	s := history(t, dir)
	if got := kindsOf(s); !slices.Equal(got, []revs.Kind{revs.Import, revs.Draft}) || page(t, s, 1) != "by hand" {
		t.Errorf("%v", got)
	}
	if text, err := os.ReadFile(path); string(text) != "by hand" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestJobThatIsCancelledAfterItsDeliveryLeavesARevision(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("delivered")
	e.until(contract.FeedUsage)
	if record, err := e.Cancel(t.Context(), id); err != nil || record.Status != api.JobCancelled {
		t.Fatalf("%+v, %v", record, err)
	}
	e.stop()
	s := history(t, e.dir)
	if list := s.List(); len(list) != 1 || list[0].Kind != revs.Generated || list[0].Job != id || page(t, s, 1) != "delivered" {
		t.Errorf("%+v", list)
	}
}

func TestJobThatWasKilledAfterItsDeliveryLeavesARevisionOfItsOwn(t *testing.T) {
	t.Parallel()
	g := embedded(t)
	delivered, release := make(chan struct{}, 1), make(chan struct{})
	defer close(release)
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		result, err := g.Generate(ctx, req, rep)
		delivered <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return result, err
	}))
	id := e.submitRequest(cheap("a fox flies through gaps"))
	e.ack(e.until(contract.FeedStarted))
	<-delivered
	next := start(t, copyVolume(t, e.dir), script(write))
	next.last = e.last
	next.finish(id)
	next.stop()
	if list := history(t, next.dir).List(); len(list) != 1 || list[0].Kind != revs.Generated || list[0].Job != id {
		t.Errorf("%+v", list)
	}
}

// TestWhatIsSavedWhileAJobWorksOutlastsAKill: it joins the game when the next engine has
// ended the job.
func TestWhatIsSavedWhileAJobWorksOutlastsAKill(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	defer close(release)
	e := start(t, t.TempDir(), until(entered, release))
	id := e.submit("work")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	saved, err := e.Edit(t.Context(), jobs.Edit{Path: "mine.txt", Data: []byte("mine")})
	if err != nil || !saved.Later {
		t.Fatalf("%+v, %v", saved, err)
	}
	next := start(t, copyVolume(t, e.dir), script(write))
	next.last = e.last
	next.finish(id)
	wait.Until(t, "the edit has joined", func() bool {
		list := next.Revisions().Revisions
		return len(list) > 0 && list[0].Message == "Saved while a job worked: mine.txt"
	})
	if data, err := next.File("mine.txt", next.Revisions().Revisions[0].ID); err != nil || string(data) != "mine" {
		t.Errorf("it holds %q, %v", data, err)
	}
}

// TestASaveWhoseAnswerWasLostIsNoConflictWithItself: its editor sends it again. A file that
// is to be new is refused where there is one.
func TestASaveWhoseAnswerWasLostIsNoConflictWithItself(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	first, err := e.Edit(t.Context(), jobs.Edit{Path: "mine.txt", Data: []byte("mine")})
	if err != nil {
		t.Fatal(err)
	}
	edit := jobs.Edit{Path: "mine.txt", Data: []byte("newer"), Was: first.SHA256}
	saved, err := e.Edit(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := e.Edit(t.Context(), edit); err != nil || again.Head != saved.Head || again.SHA256 != saved.SHA256 {
		t.Errorf("%+v, %v; want %+v", again, err, saved)
	}
	for _, other := range []jobs.Edit{
		{Path: "mine.txt", Data: []byte("yours"), Was: first.SHA256},
		{Path: "mine.txt", Delete: true, Was: first.SHA256},
		{Path: "mine.txt", Data: []byte("newer")},
	} {
		if _, err := e.Edit(t.Context(), other); !errors.As(err, new(*jobs.ConflictError)) {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

package jobs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/test/wait"
)

// endless is a model that reads a brief, leaves a wish open, and then works on
// the sources until it is stopped.
type endless struct{ working chan struct{} }

func (m endless) Chats(context.Context) ([]string, error) { return []string{"wise"}, nil }

func (m endless) Offers(context.Context) ([]model.Offer, error) {
	return []model.Offer{{Name: "wise", Use: model.UseChat}}, nil
}

func (m endless) Paint(context.Context, model.Picture) ([]byte, error) { return nil, model.ErrRefused }

func (m endless) Record(context.Context, model.Sound) ([]byte, error) { return nil, model.ErrRefused }

func (m endless) Chat(ctx context.Context, r model.Request) (model.Reply, error) {
	if len(r.Tools) == 0 {
		return model.NewReply(`{"mechanic":"gap","hero":"fox","title":"Wobble","unmet":["gates that sway"]}`), nil
	}
	m.working <- struct{}{}
	<-ctx.Done()
	return model.Reply{}, ctx.Err()
}

// wise is the embedded generator with an endless model.
func wise(t *testing.T) (gen.Generator, endless) {
	t.Helper()
	m := endless{make(chan struct{}, 1)}
	g, err := gen.New(gen.Options{Frameworks: gentest.Frameworks(t), Models: m})
	if err != nil {
		t.Fatal(err)
	}
	return g, m
}

// refining takes a new project's job to the point where a model works on the
// sources of its game, which is proven.
func refining(t *testing.T) (e *engine, id string) {
	t.Helper()
	g, m := wise(t)
	// On a busy machine the game takes longer than a job of this level may.
	e = run(t, openConfig(t, jobs.Config{Dir: t.TempDir(), Generator: g, TimeLimit: time.Hour}))
	id = e.submitRequest(api.GenerateRequest{
		ProjectID: project, Prompt: "a fox and gates that sway", Settings: api.Settings{Model: "wise", ReasoningLevel: api.ReasoningLow},
	})
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the model works on the sources", m.working)
	return e, id
}

// game returns the files of a job's ZIP.
func (e *engine) game(id string) map[string]bool {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.dir, "jobs", id, "files.zip"))
	if err != nil {
		e.t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		e.t.Fatal(err)
	}
	files := map[string]bool{}
	for _, f := range archive.File {
		files[f.Name] = true
	}
	return files
}

// leftDraft reports whether the project keeps a draft.
func (e *engine) leftDraft() bool {
	_, err := os.Lstat(filepath.Join(e.dir, "workspace", ".svc", "draft.json"))
	return err == nil
}

// checkDelivered proves that a failed job of a new project has a game.
func (e *engine) checkDelivered(record contract.JobRecord, code api.FailureCode) {
	e.t.Helper()
	if record.Status != api.JobFailed || record.Failure.Code != code {
		e.t.Fatalf("the job is %+v", record)
	}
	if files := e.game(record.JobID); !files["index.html"] || !files["game.js"] || len(files) != record.Files.Count {
		e.t.Errorf("its ZIP has %v, its record says %+v", files, record.Files)
	}
	events := e.events(record.JobID)
	if last := events[len(events)-1]; last.Members["changed"] != true {
		e.t.Errorf("it ends with %+v", last)
	}
	if wish := (api.Unmet{Phrase: "gates that sway"}); len(record.Unmet) != 1 || record.Unmet[0] != wish || !reflect.DeepEqual(events[len(events)-1].Members["unmet"], []any{wish.Phrase}) {
		e.t.Errorf("unmet %+v, it ends with %+v", record.Unmet, events[len(events)-1])
	}
	if e.leftDraft() {
		e.t.Error("the draft is still there")
	}
}

func TestTheProvenGameIsLeftWhenAModelsWorkEndsHalfDone(t *testing.T) {
	t.Parallel() // the game is made in earnest, which takes a while
	e, id := refining(t)
	t.Run("for the engine died", func(t *testing.T) { diesRefining(t, e, id) })
	t.Run("for the job was stopped", func(t *testing.T) {
		rec := e.read()
		e.ack(rec, contract.Stop{JobID: id, Code: api.FailureTIKExhausted})
		e.checkDelivered(e.finish(id), api.FailureTIKExhausted)
	})
}

// diesRefining looks at what would follow if the engine were killed now.
func diesRefining(t *testing.T, e *engine, id string) {
	t.Helper()
	dir, second := copyVolume(t, e.dir), copyVolume(t, e.dir) // what a kill leaves
	next := start(t, dir, script(write))
	next.last = e.last
	record := next.finish(id)
	next.checkDelivered(record, api.FailureEngineRestarted)
	next.stop() // it writes to its volume after a job's end as well
	// Another kill, once the draft is the game and before that is in the record.
	space := filepath.Join(second, "workspace")
	if err := errors.Join(os.RemoveAll(space), os.CopyFS(space, os.DirFS(filepath.Join(dir, "workspace")))); err != nil {
		t.Fatal(err)
	}
	again := start(t, second, script(write))
	again.last = e.last
	if twice := again.finish(id); twice.Status != api.JobFailed || *twice.Files != *record.Files {
		t.Errorf("after another kill the job is %+v", twice)
	}
}

func TestAJobThatIsCancelledWhileAModelWorksLeavesNothing(t *testing.T) {
	t.Parallel()
	e, id := refining(t)
	waiting := e.submit("another") // whose end must not touch the draft of the one that runs
	if _, err := e.Cancel(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	if !e.leftDraft() {
		t.Error("the draft went with another job")
	}
	if record, err := e.Cancel(t.Context(), id); err != nil || record.Status != api.JobCancelled {
		t.Fatalf("%+v, %v", record, err)
	}
	if e.leftDraft() {
		t.Error("the draft is still there")
	}
	if _, err := os.Lstat(filepath.Join(e.dir, "workspace", gen.Deliverable)); err == nil {
		t.Error("a game is there")
	}
}

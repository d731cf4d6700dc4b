package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/engine/swap"
)

// ending returns the last event of a job.
func (e *engine) ending(id string) map[string]any {
	e.t.Helper()
	events := e.events(id)
	return events[len(events)-1].Members
}

// charged reports whether a job's log has usage.
func (e *engine) charged(id string) bool {
	return slices.Contains(types(e.events(id)), api.EventUsage)
}

// gameOf returns the files of a project's game.
func gameOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, root := map[string]string{}, filepath.Join(dir, "workspace", gen.Deliverable)
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		out[strings.TrimPrefix(name, root+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestUndoBringsTheFormerGameBackByteForByte(t *testing.T) {
	t.Parallel() // the games are made in earnest, which takes a while
	e := start(t, t.TempDir(), embedded(t))
	states := map[string]map[string]string{}
	step := func(prompt, state string, charged, met bool) {
		t.Helper()
		id := e.submitRequest(cheap(prompt))
		if record := e.finish(id); record.Status != api.JobCompleted {
			t.Fatalf("%q: %+v", prompt, record.Failure)
		}
		end, now := e.ending(id), gameOf(t, e.dir)
		if was, there := states[state]; there && !equal(was, now) || !there && slices.ContainsFunc(slices.Collect(values(states)), func(s map[string]string) bool { return equal(s, now) }) {
			t.Fatalf("%q: the game is not at %s: %v", prompt, state, end)
		}
		states[state] = now
		if e.charged(id) != charged || (len(end["unmet"].([]any)) == 0) != met {
			t.Errorf("%q: charged %v, %v", prompt, e.charged(id), end)
		}
	}
	step("a fox flies through gaps", "first", true, true)
	step("undo", "first", false, false)
	step("make it faster", "fast", true, true)
	step("mach das rückgängig", "first", false, true)
	step("redo", "fast", false, true)
	step("comme avant", "first", false, true)
	step("make it slower", "slow", true, true)
	step("call it Owl", "owl", true, true)
	step("deshacer", "slow", false, true)
	step("undo", "first", false, true)
	step("undo", "first", false, false)
	e = e.restart(embedded(t))
	step("redo", "slow", false, true)
	step("as before, but call it Owl", "first owl", true, true)
	step("undo everything", "first", false, true)
	step("undo that, and let it smell of bread", "first", false, false)
	e.stop()
	list := history(t, e.dir).List()
	if list[0].Kind != revs.Generated || list[2].Kind != revs.Restore || list[2].Of != 1 || !strings.HasPrefix(list[2].Message, "Went back to revision 1") {
		t.Errorf("%+v", list)
	}
}

// Who has no balance left gets a job stopped that names a priced step.
func TestUndoNeedsNoBalance(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	for _, step := range []struct{ prompt, next string }{
		{"undo", "generator.job"}, // there is no game yet: a brief
		{"a fox", "generator.job"},
		{"undo", ""},
		{"deshacer", ""},
		{"undo, and make it pink", "generator.job"},
	} {
		id := e.submit(step.prompt)
		rec := e.until(contract.FeedStarted)
		if rec.Next != step.next {
			t.Errorf("%q: the priced step to come is %q, want %q", step.prompt, rec.Next, step.next)
		}
		e.ack(rec)
		if r := e.finish(id); r.Status != api.JobCompleted {
			t.Errorf("%q: %+v", step.prompt, r.Failure)
		}
		if e.charged(id) && step.next == "" {
			t.Errorf("%q: it is charged", step.prompt)
		}
	}
	plan := api.GenerateRequest{ProjectID: project, Prompt: "undo", Settings: api.Settings{ChatMode: api.ChatPlan}}
	id := e.submitRequest(plan)
	if rec := e.until(contract.FeedStarted); rec.Next == "" {
		t.Error("the plan of an undo names no priced step")
	} else {
		e.ack(rec)
	}
	e.finish(id)
}

func equal(a, b map[string]string) bool {
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return len(a) == len(b)
}

func values(m map[string]map[string]string) func(func(map[string]string) bool) {
	return func(yield func(map[string]string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestUndoAfterAHandEditTakesTheEditBackAndKeepsIt(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	e.finish(e.submit("made"))
	path := filepath.Join(e.dir, "workspace", gen.Deliverable, "index.html")
	if err := os.WriteFile(path, []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.finish(e.submit("undo"))
	if text, err := os.ReadFile(path); string(text) != "made" {
		t.Errorf("%q, %v", text, err)
	}
	e.stop()
	if s := history(t, e.dir); !slices.Equal(kindsOf(s), []revs.Kind{revs.Generated, revs.Import, revs.Restore}) || page(t, s, 2) != "by hand" {
		t.Errorf("%v", kindsOf(s))
	}
}

func TestUndoThatIsKilledHalfwayIsDoneOrNot(t *testing.T) {
	entered, release := make(chan string, 3), make(chan struct{})
	close(release)
	e := start(t, t.TempDir(), until(entered, release))
	e.finish(e.submit("one"))
	e.finish(e.submit("two"))
	id := e.submit("undo")
	e.until(contract.FeedStarted) // unacknowledged: the job waits
	before := copyVolume(t, e.dir)
	e.ack(contract.FeedRecord{FeedID: e.FeedID(), Seq: e.last})
	e.finish(id)
	delivered := copyVolume(t, before) // killed between delivery and revision
	space := filepath.Join(delivered, "workspace")
	if err := errors.Join(os.RemoveAll(space), os.CopyFS(space, os.DirFS(filepath.Join(e.dir, "workspace")))); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		dir   string
		kinds []revs.Kind
		undo  string
	}{
		"before": {before, []revs.Kind{revs.Generated, revs.Generated}, "one"},
		"after":  {delivered, []revs.Kind{revs.Generated, revs.Generated, revs.Restore}, ""},
	} {
		next := start(t, c.dir, script(write))
		next.last = e.last
		lines, _, err := next.Feed(0)
		if err != nil {
			t.Fatal(err)
		}
		next.last = uint64(len(lines)) - 1
		if record := next.finish(id); record.Status != api.JobFailed {
			t.Fatalf("%s: %+v", what, record)
		}
		again := next.submit("undo")
		next.finish(again)
		next.stop()
		s := history(t, c.dir)
		if got := kindsOf(s); !slices.Equal(got[:len(c.kinds)], c.kinds) || (c.undo == "") != (len(got) == len(c.kinds)) {
			t.Errorf("%s: %v", what, got)
		}
		if head, _ := s.Head(); page(t, s, head.ID) != "one" {
			t.Errorf("%s: the game is %q", what, page(t, s, head.ID))
		}
	}
}

func TestUndoWithARestThatFailsChangesNothing(t *testing.T) {
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if strings.HasPrefix(req.Prompt, "fail") {
			return gen.Result{}, errors.New("it can't be done")
		}
		return write(ctx, req, rep)
	}))
	e.finish(e.submit("one"))
	e.finish(e.submit("two"))
	if record := e.finish(e.submit("undo, then fail")); record.Status != api.JobFailed || !strings.Contains(record.Failure.Message, "can't be done") {
		t.Fatalf("%+v", record)
	}
	if got := gameOf(t, e.dir)["index.html"]; got != "two" {
		t.Errorf("the game is %q", got)
	}
}

// TestUndoWithARestThatFailsIsPutBackOverALock that somebody set meanwhile: a job that fails
// changes nothing.
func TestUndoWithARestThatFailsIsPutBackOverALock(t *testing.T) {
	var e *engine
	e = start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if strings.HasPrefix(req.Prompt, "fail") {
			return gen.Result{}, errors.Join(e.SetLock("index.html", true), errors.New("it can't be done"))
		}
		return write(ctx, req, rep)
	}))
	e.finish(e.submit("one"))
	e.finish(e.submit("two"))
	if record := e.finish(e.submit("undo, then fail")); record.Status != api.JobFailed || !strings.Contains(record.Failure.Message, "can't be done") {
		t.Fatalf("%+v", record)
	}
	if got := gameOf(t, e.dir)["index.html"]; got != "two" {
		t.Errorf("the game is %q", got)
	}
}

// What was proven on the revision that a job went back to joins no other one.
func TestUndoWithARestThatFailsLeavesItsDraftInTheHistoryAlone(t *testing.T) {
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if strings.HasPrefix(req.Prompt, "fail") {
			draft, err := json.Marshal(map[string]any{
				"jobId": req.JobID, "changes": []swap.Change{{Name: gen.Deliverable + "/index.html", Data: []byte("proven")}},
			})
			err = errors.Join(err, req.Workspace.MkdirAll(".svc", 0o700), req.Workspace.WriteFile(".svc/draft.json", draft, 0o600))
			return gen.Result{}, errors.Join(err, errors.New("it can't be done"))
		}
		result, err := write(ctx, req, rep)
		return result, errors.Join(err, req.Workspace.WriteFile(gen.Deliverable+"/more.txt", []byte(req.Prompt), 0o600))
	}))
	e.finish(e.submit("one"))
	e.finish(e.submit("two"))
	before := gameOf(t, e.dir)
	if record := e.finish(e.submit("undo, then fail")); record.Status != api.JobFailed || !strings.Contains(record.Failure.Message, "can't be done") {
		t.Fatalf("%+v", record)
	}
	if now := gameOf(t, e.dir); !equal(before, now) || e.leftDraft() {
		t.Errorf("the game is %q, with a draft: %v", now, e.leftDraft())
	}
	e.stop()
	s := history(t, e.dir)
	at := slices.Index(kindsOf(s), revs.Draft)
	if at < 0 || page(t, s, s.List()[at].ID) != "proven" {
		t.Fatalf("%v", kindsOf(s))
	}
	if files, err := s.Files(s.List()[at].ID); err != nil || string(files[gen.Deliverable+"/more.txt"]) != "one" {
		t.Errorf("the draft has %q, %v", files, err)
	}
}

func TestUndoOfARevisionThatIsDamagedIsSaidAndChangesNothing(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	e.finish(e.submit("one"))
	e.finish(e.submit("two"))
	objects, err := filepath.Glob(filepath.Join(e.dir, "revs", "objects", "*"))
	for _, name := range objects {
		if data, readErr := os.ReadFile(name); readErr == nil && string(data) == "one" {
			err = errors.Join(err, os.WriteFile(name, []byte("another"), 0o600))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	id := e.submit("undo")
	if record := e.finish(id); record.Status != api.JobCompleted || e.ending(id)["changed"] != false || gameOf(t, e.dir)["index.html"] != "two" {
		t.Errorf("%+v, %v", record, e.ending(id))
	}
}

func TestUndoThatCannotBeMetRepeatsNoSecret(t *testing.T) {
	const secret = "sk-0123456789abcdefghij"
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		req.Prompt = "a game"
		return write(ctx, req, rep)
	}))
	e.finish(e.submit("one"))
	id := e.submit("undo. My key is " + secret)
	record := e.finish(id)
	said, err := json.Marshal([]any{record, e.events(id)})
	if err != nil || strings.Contains(string(said), secret[3:]) || len(record.Unmet) == 0 {
		t.Errorf("%s, %v", said, err)
	}
}

func TestUndoInAProjectWithoutAGameIsABrief(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("Undo")
	e.finish(id)
	if gameOf(t, e.dir)["index.html"] != "Undo" || !e.charged(id) {
		t.Errorf("%v", e.ending(id))
	}
}

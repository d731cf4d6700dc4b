package jobs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/swap"
)

// noise makes a game of n bytes that can't be compressed, if there is room.
func noise(n int) script {
	return func(_ context.Context, req gen.Request, _ gen.Reporter) (gen.Result, error) {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(rand.Uint32())
		}
		err := req.Change([]swap.Change{{Name: gen.Deliverable + "/index.html", Data: text}}, int64(n))
		return gen.Result{Changed: true}, err
	}
}

func TestJobThatWouldFillTheVolumeFailsAndTheOldGameStays(t *testing.T) {
	size := 10_000
	e := startLimited(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		return noise(size)(ctx, req, rep)
	}), jobs.Limits{Bytes: 64 << 10})
	old := e.finish(e.submit("small"))
	size = 100_000
	record := e.finish(e.submit("large"))
	if record.Status != api.JobFailed || record.Failure.Code != api.FailureGeneration || !strings.Contains(record.Failure.Message, "volume is full") {
		t.Fatalf("the large job: %+v, %+v", record, record.Failure)
	}
	if record.Files == nil || record.Files.SHA256 != old.Files.SHA256 {
		t.Errorf("its ZIP holds %+v, the old game is %+v", record.Files, old.Files)
	}
	size = 9_000
	if record := e.finish(e.submit("small again")); record.Status != api.JobCompleted {
		t.Errorf("the next small job: %+v", record.Failure)
	}
}

func TestSkillsThatDoNotFitAreNotStored(t *testing.T) {
	e := startLimited(t, t.TempDir(), script(write), jobs.Limits{Bytes: 64 << 10, Files: 30})
	instructions := "Be kind."
	var many []api.SkillFile
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		many = append(many, api.SkillFile{Path: name, Content: "x"})
	}
	for what, files := range map[string][]api.SkillFile{"bytes": {{Path: "a.js", Content: strings.Repeat("x", 100_000)}}, "files": many} {
		record := e.finish(e.submitRequest(api.GenerateRequest{
			ProjectID: project, Prompt: "a game", Instructions: &instructions, Skills: []api.Skill{{Key: "k", Title: "t", Files: files}},
		}))
		if record.Status != api.JobFailed || !strings.Contains(record.Failure.Message, "volume is full") {
			t.Errorf("too many %s: %+v, %+v", what, record, record.Failure)
		}
	}
	seen := make(chan string, 1)
	next := e.restart(script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		seen <- req.Instructions
		return write(ctx, req, rep)
	}))
	next.finish(next.submit("next"))
	if got := <-seen; got != "" {
		t.Errorf("of a request without room the instructions %q were kept", got)
	}
}

func TestFilesOfPublishedJobsMakeRoomTheOldestFirst(t *testing.T) {
	e := startLimited(t, t.TempDir(), noise(10_000), jobs.Limits{Bytes: 64 << 10})
	var ids []string
	for range 6 {
		id := e.submit("one more")
		if record := e.finish(id); record.Status != api.JobCompleted {
			t.Fatalf("job %d: %+v", len(ids), record.Failure)
		}
		ids = append(ids, id)
	}
	dropped := 0
	for i, id := range ids {
		f, err := e.Files(id, false)
		switch {
		case errors.Is(err, jobs.ErrDropped) && i == dropped:
			dropped++
		case err != nil:
			t.Errorf("the files of job %d: %v", i, err)
		default:
			f.Close()
		}
		if _, err := e.Record(id); err != nil {
			t.Errorf("the record of job %d: %v", i, err)
		}
	}
	if dropped == 0 || dropped > 4 {
		t.Errorf("%d of 6 were dropped", dropped)
	}
}

package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
)

// taught makes a game that teaches the project something, or fails, and notes
// which skills each job was given.
type taught struct{ given chan []string }

func (g taught) Generate(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
	var keys []string
	for _, s := range req.Skills {
		keys = append(keys, s.Key)
	}
	g.given <- keys
	result, err := write(ctx, req, rep)
	if req.Prompt == "fail with jumping" {
		err = errors.New("nothing came of it")
	}
	result.Learned = &api.Skill{
		Key: "jumper", Title: "Jumping fox", Prompt: req.Prompt, Mechanics: []string{"jumping"},
		Files: []api.SkillFile{{Path: "game.json", Content: req.Prompt}},
	}
	return result, err
}

func TestASuccessfulJobTeachesLaterJobsLikeItAndAFailedOneNothing(t *testing.T) {
	g := taught{make(chan []string, 1)}
	e := start(t, t.TempDir(), g)
	sent := api.GenerateRequest{ProjectID: project, Prompt: "fail with jumping", Skills: []api.Skill{
		{Key: "passing", Title: "Jumping for this job alone"},
		{Key: "kept", Title: "Jumping over logs", Files: []api.SkillFile{{Path: "a.js", Content: "x"}}},
	}}
	work := func(what string, req api.GenerateRequest, want ...string) {
		t.Helper()
		e.finish(e.submitRequest(req))
		got := <-g.given
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s was given %q, want %q", what, got, want)
		}
	}
	like := api.GenerateRequest{ProjectID: project, Prompt: "a fox jumping over logs"}
	work("the job that sent them", sent, "kept", "passing")
	work("a job after a failed one", like, "kept")
	work("a job after a successful one", like, "auto-jumper", "kept")
	work("a job like neither", api.GenerateRequest{ProjectID: project, Prompt: "a fish in the sea"})
	e = e.restart(g)
	work("a job of the next engine", like, "auto-jumper", "kept")
}

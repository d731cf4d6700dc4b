package gen

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
)

// plans reports whether a model plans: it needs no judge for that.
func (g *embedded) plans(req Request) bool {
	return req.Settings.ChatMode == api.ChatPlan && g.agents != nil && named(req)
}

// propose has a model write a plan, with tools that only read. Where none comes of it
// the setback says why.
func (g *embedded) propose(ctx context.Context, req Request, rep Reporter, isNew bool, game *kitGame) (Result, *setback, error) {
	task, err := g.planTask(ctx, req, rep, isNew, game)
	if err != nil {
		return Result{}, nil, err
	}
	out, err := agent.Run(ctx, g.agents, noJudge{}, agentReporter{rep, 8, 86}, task)
	switch {
	case err != nil:
		return Result{}, nil, err
	case out.Plan == "":
		warning := fmt.Sprintf("The model made no plan, since %s: this is the generator's.", out.Stop)
		return Result{}, &setback{warning: helped(warning, remedy(out))}, nil
	}
	rep.Progress(api.StagePackaging, 90, "Writing the plan.")
	var b strings.Builder
	b.WriteString(strings.TrimSpace(Masked(out.Plan)) + "\n")
	for i, q := range out.Questions {
		if i == 0 {
			b.WriteString("\n## Questions\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", Masked(q))
	}
	b.WriteString("\nTo build it, send the same prompt with chatMode agent.\n")
	w := newDelivery(req)
	if err := w.put(path.Join(Deliverable, planFile), []byte(b.String())); err != nil {
		return Result{}, nil, err
	}
	changed, err := w.apply(rep)
	if err != nil {
		return Result{}, nil, err
	}
	summary := "A plan, in " + planFile + "."
	if len(out.Questions) > 0 {
		summary += " Questions: " + Masked(strings.Join(out.Questions, " "))
	}
	say(rep, summary)
	return Result{Summary: summary, Changed: changed}, nil, nil
}

// planTask is what is to be planned: a new game, or a change of the project's.
func (g *embedded) planTask(ctx context.Context, req Request, rep Reporter, isNew bool, game *kitGame) (agent.Task, error) {
	var err error
	if isNew {
		if game, err = g.framed(req); err != nil {
			return agent.Task{}, err
		}
	}
	if game == nil {
		files, err := readGame(req.Workspace)
		if err != nil {
			return agent.Task{}, err
		}
		game = &kitGame{files: files, renderer: "its own core"}
	}
	task := g.task(ctx, req, rep, game, isNew)
	task.Plan, task.Game = true, compile.Files(maps.Clone(game.files))
	if task.Game[kitMark] == nil {
		task.Manual = stockManual
	}
	return task, nil
}

// noJudge judges nothing, for there is nothing to judge of a plan.
type noJudge struct{}

// Syntax implements agent.Verifier.
func (noJudge) Syntax(context.Context, string, string) ([]build.Problem, error) { return nil, nil }

// Check implements agent.Verifier.
func (noJudge) Check(context.Context, compile.Files) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

// Prove implements agent.Verifier.
func (noJudge) Prove(context.Context, compile.Files) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

var _ agent.Verifier = noJudge{}

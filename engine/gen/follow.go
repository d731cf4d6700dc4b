package gen

import (
	"context"
	"fmt"
	"maps"

	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/compile"
)

// follow changes a game on the kit: its tunables by itself where that is all that is
// asked, else by an author. What does not pass leaves the game as it was.
func (g *embedded) follow(ctx context.Context, req Request, rep Reporter, game *kitGame) (Result, error) {
	desk := &desk{g: g, req: req, rep: rep, effort: effortOf(req.Settings), game: game, before: checksOfGame(game.files)}
	if t := game.tuned(req.Prompt); t != nil {
		return g.followTuned(ctx, req, rep, desk, t)
	}
	if !g.composes(req) {
		return unchanged(req, rep, "Nothing was changed: this game was written by a model, and only a model that settings.model names can change more of it than its tunables: "+game.tunables()+"."), nil
	}
	g.browser.Warm()
	out, err := agent.Run(ctx, g.agents, desk, agentReporter{rep, 8, 86}, g.task(ctx, req, rep, game, false))
	if err != nil {
		return Result{Written: out.Written}, err
	}
	worked(rep, out)
	switch {
	case out.Files == nil && out.Stop != "":
		why := fmt.Sprintf("The model changed nothing in the game, since %s: it is as it was.", out.Stop)
		warn(rep, "degraded", helped(why, remedy(out)))
		return unchanged(req, rep, "Nothing was changed."), nil
	case out.Files == nil:
		say(rep, out.Summary)
		return Result{Summary: out.Summary, Unmet: out.Unmet, Free: true}, nil
	case out.Stop != "":
		warn(rep, "degraded", fmt.Sprintf("The model was stopped, since %s. What it had done by then passed and is in the game.", out.Stop))
	}
	return g.handOver(ctx, req, rep, desk, out)
}

// followTuned delivers a game whose tunables were changed, if it plays.
func (g *embedded) followTuned(ctx context.Context, req Request, rep Reporter, d *desk, t *tuning) (Result, error) {
	files := maps.Clone(d.game.files)
	files[compile.DataFile] = t.data
	prove := d.Prove
	if g.browser == nil {
		warn(rep, "no_browser", "The engine has no browser: the game was built and not played.")
		prove = d.Check
	}
	v, err := prove(ctx, files)
	if err == nil && !v.OK {
		v, err = d.retime(ctx, files, v, t.share)
	}
	switch {
	case err != nil:
		return Result{}, err
	case !v.OK:
		return unchanged(req, rep, "Nothing was changed: with this change the game could not be played ("+clipped(v.Findings[0])+")."), nil
	}
	return g.handOver(ctx, req, rep, d, agent.Outcome{Files: files, Summary: "Changed: " + t.did + "."})
}

// unchanged is the result of a job that leaves its game as it was.
func unchanged(req Request, rep Reporter, summary string) Result {
	say(rep, summary)
	return Result{Summary: summary, Unmet: []string{clippedWish(req.Prompt)}, Free: true}
}

package gen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
)

// effort is how much is spent on a game.
type effort struct {
	seeds  int  // worlds that are simulated
	tunes  int  // times that a spec is tuned before its mechanic is given up
	fixes  int  // rounds of fixes after the browser's playtest
	visual bool // pictures are taken and judged
	// patience is how long the simulation of a game may take that someone
	// changed: it may never end.
	patience time.Duration
}

// effortOf scales with the reasoning level.
func effortOf(s api.Settings) effort {
	e := effort{seeds: 3, tunes: 5, fixes: 2}
	switch s.ReasoningLevel {
	case api.ReasoningLow:
		e = effort{seeds: 1, tunes: 3, fixes: 1}
	case api.ReasoningHigh:
		e = effort{seeds: 5, tunes: 8, fixes: 4}
	}
	e.visual, e.patience = on(s.VisualQAActive), time.Minute
	return e
}

// unplayableError is a game that does not pass its playtest.
type unplayableError struct{ why string }

func (e *unplayableError) Error() string { return "the game is not playable: " + e.why }

// produce turns the decision into a verified game. When a mechanic does not
// pass even after tuning, the next best one is tried.
func (g *embedded) produce(ctx context.Context, rep Reporter, d *decision, e effort) (revision, error) {
	var last error
	for _, mechanic := range d.candidates {
		if mechanic != d.spec.Mechanic {
			d.swap(mechanic)
			rep.Progress(api.StageFixing, 80, "Trying another mechanic.")
			rep.Event(api.EventFixApplied, map[string]any{"strategy": "mechanic", "change": "the mechanic is now " + mechanic, "because": last.Error()})
		}
		made, err := g.attempt(ctx, rep, d, e)
		var unplayable *unplayableError
		if errors.As(err, &unplayable) {
			last = err
			continue
		}
		return made, err
	}
	return revision{}, fmt.Errorf("no mechanic made a playable game of this brief: %w", last)
}

// attempt makes a game of the decision's mechanic: simulated and tuned, built,
// and played in the browser, with fixes after each round.
func (g *embedded) attempt(ctx context.Context, rep Reporter, d *decision, e effort) (revision, error) {
	if d.game == nil { // an authored game is simulated as it is, once it is assembled
		tuned, err := g.simulate(ctx, rep, &d.spec, e)
		if err != nil {
			return revision{}, err
		}
		if len(tuned) > 0 {
			d.summary += " To keep it playable I tuned " + strings.Join(tuned, ", then ") + "."
		}
	}
	files, err := g.assembleAndJudge(ctx, rep, d, e)
	if err != nil {
		return revision{}, err
	}
	if g.browser == nil {
		warn(rep, "no_browser", "The engine has no browser: the game was checked by simulation only.")
		return revision{files: files}, nil
	}
	return g.playAndFix(ctx, rep, d, files, e)
}

// assembleAndJudge builds a game. Sources that are not the generator's own are
// simulated.
func (g *embedded) assembleAndJudge(ctx context.Context, rep Reporter, d *decision, e effort) (compile.Files, error) {
	files, err := g.assemble(ctx, rep, d, e)
	if err != nil || d.game == nil {
		return files, err
	}
	verdict, err := g.judge(ctx, rep, d.spec, files, e)
	faults := verdict.Problems
	if err != nil {
		faults = []string{whyOf(err)}
	} else if !verdict.OK() {
		err = &unplayableError{why: verdict.String()}
	}
	return files, g.excuse(ctx, rep, d.game, e, simulating, faults, err)
}

// perform plays the game in the browser once.
func (g *embedded) perform(ctx context.Context, rep Reporter, s spec.Spec, files compile.Files, e effort) (playtest.Report, error) {
	w, h := catalog.Field(s)
	return g.play(ctx, rep, playtest.Game{
		Files: files, Width: w, Height: h, Short: s.Format == spec.Short, Limit: s.Play.Duration, Shots: e.visual, Trusted: true,
	})
}

// played is the public form of a report. It names the pictures as the ZIP of the job has
// them, where the revision is delivered.
func played(report playtest.Report) (eventType string, members map[string]any) {
	pictures := []string{}
	for _, shot := range report.Shots {
		pictures = append(pictures, shotOf(shot.Moment))
	}
	return api.EventPlaytestResult, map[string]any{
		"ok": report.OK(), "tier": "browser", "problems": report.Notes(), "checks": len(report.Checks), "readyMs": report.Ready.Milliseconds(),
		"bestScore": report.Score, "bestRunSeconds": report.RunSeconds, "shots": len(report.Shots), "durationMs": report.Took.Milliseconds(),
		"rules": report.Rules(), "pictures": pictures,
	}
}

func warn(rep Reporter, code, message string) {
	rep.Event(api.EventWarning, map[string]any{"code": code, "message": message})
}

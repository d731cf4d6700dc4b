package gen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/spec"
)

// bench judges the revisions that a model makes of a game, as the generator's
// own games are judged.
type bench struct {
	g      *embedded
	rep    Reporter
	spec   spec.Spec
	effort effort
	game   *authored       // what the model began with, if it was authored; else nil
	shots  []playtest.Shot // of the last revision that was proven
}

// Check implements agent.Verifier.
func (b *bench) Check(ctx context.Context, files compile.Files) (agent.Verdict, error) {
	s := b.tuned(files)
	if err := b.g.compiles(ctx, files, b.effort); err != nil {
		return faults(err)
	}
	err := finish(ctx, b.rep, limits(s), files, b.game.sources())
	if against := (*auditError)(nil); errors.As(err, &against) {
		err = b.g.excuse(ctx, b.rep, b.game, b.effort, auditing, rulesOf(against), err)
	}
	if err != nil {
		return faults(err)
	}
	verdict, err := b.g.judge(ctx, b.rep, s, files, b.effort)
	found := verdict.Problems
	if err != nil {
		found = []string{whyOf(err)}
	} else if !verdict.OK() {
		err = &unplayableError{why: verdict.String()}
	}
	if excused := b.g.excuse(ctx, b.rep, b.game, b.effort, simulating, found, err); excused == nil {
		return agent.Verdict{OK: true, Note: verdict.String()}, nil
	} else if verdict.OK() {
		return faults(excused)
	}
	return agent.Verdict{Findings: found, Note: verdict.String()}, ctx.Err()
}

// tuned is the game's spec with the tunables of a revision; someone may have written a
// data file that holds none.
func (b *bench) tuned(files compile.Files) spec.Spec {
	if s, err := withPlay(b.spec, files); err == nil {
		return s
	}
	return b.spec
}

// Syntax implements agent.Verifier.
func (b *bench) Syntax(ctx context.Context, name, content string) ([]build.Problem, error) {
	timed, cancel := context.WithTimeout(ctx, b.effort.patience)
	defer cancel()
	problems, err := b.g.strangers.Compile(timed, compile.Files{name: []byte(content)}, "")
	if err != nil && ctx.Err() == nil {
		return []build.Problem{{File: name, Line: 1, Text: clipped(err.Error())}}, nil
	}
	return problems, err
}

// Prove implements agent.Verifier.
func (b *bench) Prove(ctx context.Context, files compile.Files) (agent.Verdict, error) {
	v, err := b.Check(ctx, files)
	if err != nil || !v.OK {
		return v, err
	}
	b.shots = nil
	if b.g.browser == nil {
		return v, nil
	}
	report, err := b.g.perform(ctx, b.rep, b.tuned(files), files, b.effort)
	if err != nil {
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		warn(b.rep, "playtest_inconclusive", "The browser could not play the game, which was checked by simulation: "+err.Error())
		return v, nil
	}
	failed := report.Failed(true)
	if len(failed) > 0 && b.g.excuse(ctx, b.rep, b.game, b.effort, browsing, checksOf(report), errors.New(report.String())) == nil {
		failed = nil
	}
	for _, c := range failed {
		v.OK = false
		v.Findings = append(v.Findings, "in the browser: "+c.Rule+" "+c.Note)
	}
	if v.OK {
		b.shots = report.Shots
	}
	return v, nil
}

// faults makes findings of what is wrong with the sources; other errors stay
// errors.
func faults(err error) (agent.Verdict, error) {
	var v agent.Verdict
	var broken *build.Error
	var against *auditError
	var unplayable *unplayableError
	switch {
	case errors.As(err, &broken):
		for _, p := range broken.Problems {
			v.Findings = append(v.Findings, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text))
		}
	case errors.As(err, &against):
		for _, f := range against.findings {
			v.Findings = append(v.Findings, f.File+": "+f.Message)
		}
	case errors.As(err, &unplayable):
		v.Findings = []string{unplayable.why}
	default:
		return v, err
	}
	return v, nil
}

// auditError is a game that breaks rules which keep it from being delivered.
type auditError struct{ findings []audit.Finding }

func (e *auditError) Error() string {
	f := e.findings[0]
	return fmt.Sprintf("the game broke the rule %s: %s: %s", f.Rule, f.File, f.Message)
}

// compiles tries the compiler on the sources of a stranger, before this process
// does: nothing can interrupt it. What keeps it from coming to an end is an
// *unplayableError; all other faults are found in the build.
func (g *embedded) compiles(ctx context.Context, files compile.Files, e effort) error {
	timed, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	own := maps.Clone(files)
	maps.DeleteFunc(own, func(name string, _ []byte) bool {
		return !strings.HasPrefix(name, sources) && !strings.HasPrefix(name, compile.AssetsFolder+"/") && name != compile.PlayerFile
	})
	_, err := g.strangers.Compile(timed, own, compile.Entry)
	if _, there := own[compile.PlayerFile]; there && err == nil {
		_, err = g.strangers.Compile(timed, own, compile.PlayerFile)
	}
	if err != nil && ctx.Err() == nil {
		return &unplayableError{why: clipped(err.Error())}
	}
	return err
}

// judge simulates the sources of a game as they are. What keeps them from being
// simulated is an *unplayableError.
func (g *embedded) judge(ctx context.Context, rep Reporter, s spec.Spec, files compile.Files, e effort) (sim.Verdict, error) {
	done := call(rep, "playtest", map[string]any{"tier": "sim", "seeds": e.seeds})
	start := time.Now()
	timed, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	verdict, err := g.strangers.Simulate(timed, s, files, seeds(s, e.seeds))
	switch {
	case err == nil:
	case ctx.Err() != nil:
		done(false, "It was interrupted.")
		return verdict, ctx.Err()
	case timed.Err() != nil:
		err = &unplayableError{why: "the simulation does not come to an end"}
	default:
		err = &unplayableError{why: clipped(err.Error())}
	}
	if err != nil {
		done(false, err.Error())
		return verdict, err
	}
	done(verdict.OK(), verdict.String())
	rep.Event(eventOf(verdict, time.Since(start)))
	return verdict, nil
}

// withPlay is a spec with the tunables that a revision's data file holds.
func withPlay(s spec.Spec, files compile.Files) (spec.Spec, error) {
	var data struct {
		Play spec.Play `json:"play"`
	}
	if err := json.Unmarshal(files[compile.DataFile], &data); err != nil {
		return s, fmt.Errorf("reading %s: %w", compile.DataFile, err)
	}
	s.Play = data.Play
	return s, nil
}

var _ agent.Verifier = (*bench)(nil)

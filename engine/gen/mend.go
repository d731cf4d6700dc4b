package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
)

// proven is a revision that passed the browser's playtest, with what a decision
// held when it did.
type proven struct {
	revision
	report playtest.Report // of its playtest
	faults int             // that are left in it, none of them blocking
	mended []string        // what fixes changed on the way to it

	spec   spec.Spec
	assets compile.Files
	used   map[string]string // pictures and sounds of models
}

func (d *decision) proven(files compile.Files, report playtest.Report, mended []string) *proven {
	return &proven{
		revision: revision{files: files, shots: report.Shots}, report: report, faults: countFaults(report), mended: slices.Clone(mended),
		spec: d.spec, assets: d.assets, used: d.stock.used,
	}
}

// countFaults counts what is wrong with a game. A slow start says more about the
// machine.
func countFaults(report playtest.Report) int {
	return len(slices.DeleteFunc(report.Failed(false), func(c playtest.Check) bool { return c.Rule == "P04" && !c.Blocking }))
}

// restore makes what a decision held once the decision's again.
func (d *decision) restore(p *proven) {
	d.spec, d.assets, d.stock.used = p.spec, p.assets, p.used
}

// playAndFix plays the built game in the browser, with fixes for what fails,
// until nothing does or the rounds are used up. The last revision that passed is
// what comes out, and what the last report is about: a fix that does not help one
// that passed is undone. Where none passed, all are.
func (g *embedded) playAndFix(ctx context.Context, rep Reporter, d *decision, files compile.Files, e effort) (revision, error) {
	var green *proven
	first := d.proven(files, playtest.Report{}, nil)
	var mended []string
	seen := map[string]bool{}
	for round := 0; ; round++ {
		report, err := g.perform(ctx, rep, d.spec, files, e)
		if ctx.Err() != nil {
			return revision{}, ctx.Err()
		}
		if err != nil {
			if green != nil {
				break
			}
			warn(rep, "playtest_inconclusive", "The browser could not play the game, which was checked by simulation: "+err.Error())
			return revision{files: files}, nil
		}
		failed, passed := report.Failed(false), report.OK()
		if !passed && g.excuse(ctx, rep, d.game, e, browsing, checksOf(report), errors.New(report.String())) == nil {
			failed, passed = nil, true // there is nothing to mend that the change broke
		}
		better := passed && (green == nil || countFaults(report) < green.faults)
		if better {
			green = d.proven(files, report, mended)
		}
		signature := report.String()
		if len(failed) == 0 || round == e.fixes || seen[signature] {
			break
		}
		seen[signature] = true
		next := d.spec
		change := mend(&next, failed)
		if change == "" || d.game != nil && d.game.refuses(next) != "" {
			break
		}
		if better && d.keep != nil {
			if err := d.keep(green.revision); err != nil {
				return revision{}, err
			}
		}
		replay := next.Play != d.spec.Play
		d.spec = next
		mended = append(mended, change)
		rep.Progress(api.StageFixing, 82, "Fixing what the playtest found.")
		rep.Event(api.EventFixApplied, map[string]any{"strategy": "spec", "change": change, "because": signature})
		var tuned []string
		if replay && d.game == nil { // nothing has shown yet that it can be played so
			tuned, err = g.simulate(ctx, rep, &d.spec, e)
			mended = append(mended, tuned...)
		}
		if err == nil {
			files, err = g.assembleAndJudge(ctx, rep, d, e)
		}
		if err != nil {
			if green == nil || ctx.Err() != nil {
				d.restore(first)
				return revision{}, err
			}
			break
		}
	}
	if green == nil {
		d.restore(first)
		return revision{}, &unplayableError{why: "it failed in the browser"}
	}
	d.deliver(rep, green, mended)
	return green.revision, nil
}

// deliver makes the revision that passed the decision's, and says which of the
// fixes are in it.
func (d *decision) deliver(rep Reporter, green *proven, mended []string) {
	if len(green.mended) < len(mended) {
		rep.Event(api.EventFixApplied, map[string]any{"strategy": "revert", "change": "back to the revision that passed", "because": strings.Join(mended[len(green.mended):], ", ")})
		rep.Event(played(green.report))
	}
	if len(green.mended) > 0 {
		d.summary += " After the playtest I changed " + strings.Join(green.mended, ", then ") + "."
	}
	d.restore(green)
}

// mend changes a spec so that failed checks may pass, and says what it changed.
func mend(s *spec.Spec, failed []playtest.Check) string {
	has := func(rules ...string) bool {
		return slices.ContainsFunc(failed, func(c playtest.Check) bool { return slices.Contains(rules, c.Rule) })
	}
	// A browser without WebGL can still draw on a canvas. A slow one is left
	// alone: the machine may be busy.
	broken := slices.ContainsFunc(failed, func(c playtest.Check) bool {
		return c.Blocking && slices.Contains([]string{"G02", "G03"}, c.Rule)
	})
	var did []string
	if broken && s.Renderer != "canvas" && !catalog.Mechanics[s.Mechanic].Solid {
		did = append(did, fmt.Sprintf("renderer %s → canvas", s.Renderer))
		s.Renderer = "canvas"
	}
	if has("V01") && s.Play.Size != 1 {
		did = append(did, fmt.Sprintf("size of the hero %.3g → 1", s.Play.Size))
		s.Play.Size = 1
	}
	if has("V02") {
		for _, f := range []struct {
			name  string
			value *float64
		}{{"speed", &s.Play.Speed}, {"gravity", &s.Play.Gravity}, {"size of the hero", &s.Play.Size}} {
			if *f.value != 1 {
				did = append(did, fmt.Sprintf("%s %.3g → 1", f.name, *f.value))
				*f.value = 1
			}
		}
	}
	if has("V03") && s.Look.Mood != "dark" {
		did = append(did, "a darker scene, for readable texts")
		s.Look.Mood = "dark"
		s.Palette = look.Palette(look.Themes[s.Theme], s.Look)
	}
	if has("P15", "P16") && len([]rune(s.Title)) > 20 {
		s.Title = brief.Clip(s.Title, 19)
		did = append(did, "a shorter title")
	}
	return strings.Join(did, ", ")
}

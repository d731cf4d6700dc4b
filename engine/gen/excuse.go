package gen

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
)

// tier is a part of the judgement of a game.
type tier string

const (
	auditing   tier = "audit"
	simulating tier = "simulation"
	browsing   tier = "browser"
)

// excuse returns err, which has these faults for its cause, unless the authored game
// had each of them before it was changed: a change must make nothing worse, and what
// was wrong before is not held against it. nil is no such game.
func (g *embedded) excuse(ctx context.Context, rep Reporter, a *authored, e effort, t tier, faults []string, err error) error {
	if a == nil || err == nil || len(faults) == 0 || ctx.Err() != nil {
		return err
	}
	was, ok := a.faults[t]
	if !ok {
		was = g.faultsBefore(ctx, a, e, t)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if a.faults == nil {
			a.faults, a.excused = map[tier][]string{}, map[tier]bool{}
		}
		a.faults[t] = was
	}
	for _, fault := range faults {
		if !slices.Contains(was, kindOf(fault)) {
			return err
		}
	}
	if a.excused[t] {
		return nil
	}
	a.excused[t] = true
	warn(rep, "degraded", "The game does not pass the "+string(t)+", and did not before this change: "+clipped(strings.Join(faults, "; "))+".")
	return nil
}

// faultsBefore returns the kinds of faults that an authored game has as it is. Of one
// that can't be built only that is known.
func (g *embedded) faultsBefore(ctx context.Context, a *authored, e effort, t tier) []string {
	var faults []string
	if a.built == nil {
		files := maps.Clone(a.files)
		err := g.compiles(ctx, files, e)
		if err == nil {
			err = bundle(ctx, mute{}, files)
		}
		if err != nil {
			return nil
		}
		a.built = files
	}
	switch t {
	case auditing:
		faults = rulesOf(&auditError{findings: audit.Blocking(audit.Check(a.built, limits(a.spec)))})
	case simulating:
		verdict, err := g.judge(ctx, mute{}, a.spec, a.built, e)
		if faults = verdict.Problems; err != nil {
			faults = []string{whyOf(err)}
		}
	case browsing:
		if report, err := g.perform(ctx, mute{}, a.spec, a.built, e); err == nil {
			faults = checksOf(report)
		}
	}
	for i, fault := range faults {
		faults[i] = kindOf(fault)
	}
	return faults
}

// figures are what differs between two faults of one kind.
var figures = regexp.MustCompile(`\d+(?:\.\d+)?`)

func kindOf(fault string) string { return figures.ReplaceAllString(fault, "#") }

func rulesOf(err *auditError) []string {
	var out []string
	for _, f := range err.findings {
		out = append(out, f.Rule+" "+f.File)
	}
	return out
}

func checksOf(report playtest.Report) []string {
	var out []string
	for _, c := range report.Failed(true) {
		check := "check " + c.Rule
		if c.Rule == "G13" { // of the game's own checks each is one
			check += " " + c.Note
		}
		out = append(out, check)
	}
	return out
}

// whyOf is why a game can't be played.
func whyOf(err error) string {
	if unplayable := (*unplayableError)(nil); errors.As(err, &unplayable) {
		return unplayable.why
	}
	return clipped(err.Error())
}

// fromScratch prepares a model's work on an authored game which can't be played, with
// what of the request was done or without: the model gets it as it is, and all of the
// request.
func (d *decision) fromScratch(req Request, why string) revision {
	if len(d.did) > 0 {
		d.did, d.open, d.unmet = nil, []string{clippedWish(req.Prompt)}, []string{clippedWish(req.Prompt)}
	}
	d.spec, d.noChange, d.broken = d.game.spec, true, why
	d.summary = "Nothing was changed: the game can't be played (" + why + ")."
	return revision{files: compile.Files(maps.Clone(d.game.files))}
}

// mute is a Reporter of what nobody asked for.
type mute struct{}

// Progress implements Reporter.
func (mute) Progress(api.Stage, int, string) {}

// Event implements Reporter.
func (mute) Event(string, map[string]any) {}

// Built implements Reporter.
func (mute) Built(map[string][]byte) {}

var _ Reporter = mute{}

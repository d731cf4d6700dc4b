package gen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/kit"
)

// Bounds of the checks of a game that an author hands in.
const (
	leastChecks = 3
	mostChecks  = 12
	asksChecks  = 2 // times that they are asked for
)

// desk judges the revisions that an author makes of a game on the kit: any game, by
// playing it.
type desk struct {
	g      *embedded
	req    Request
	rep    Reporter
	effort effort
	game   *kitGame        // what the author began with
	before compile.Files   // the checks that the game had, as they were
	shots  []playtest.Shot // of the last revision that was proven
	green  bool            // one was

	was     []string // kinds of faults that the game had before; nil until they are looked for
	asked   int      // times that more checks were asked for
	altered bool     // it was told which checks of before do not hold any more
}

// limits of the audit.
func (d *desk) limits() audit.Limits {
	if d.game.short {
		return audit.Limits{Bytes: audit.MaxBytes}
	}
	return audit.Limits{Bytes: audit.MaxLong}
}

// Syntax implements agent.Verifier.
func (d *desk) Syntax(ctx context.Context, name, content string) ([]build.Problem, error) {
	return (&bench{g: d.g, effort: d.effort}).Syntax(ctx, name, content)
}

// Check implements agent.Verifier.
func (d *desk) Check(ctx context.Context, files compile.Files) (agent.Verdict, error) {
	_, v, err := d.build(ctx, files)
	return v, err
}

// build audits and bundles a revision.
func (d *desk) build(ctx context.Context, files compile.Files) (kit.About, agent.Verdict, error) {
	about, faulty := d.game.aboutOf(files)
	err := d.g.compiles(ctx, files, d.effort)
	if err == nil {
		err = finish(ctx, d.rep, d.limits(), files, d.game.files)
	}
	var v agent.Verdict
	if err != nil {
		if v, err = faults(err); err != nil {
			return about, v, err
		}
	}
	v.Findings = append(faulty, v.Findings...)
	v.OK = len(v.Findings) == 0
	if v.OK {
		v.Note = fmt.Sprintf("It builds, %d bytes. Whether it plays only done can say.", len(files[compile.Script]))
	}
	return about, v, nil
}

// Prove implements agent.Verifier.
func (d *desk) Prove(ctx context.Context, files compile.Files) (agent.Verdict, error) {
	about, v, err := d.build(ctx, files)
	if err != nil || !v.OK {
		return v, err
	}
	judged, changed := d.withFormer(files)
	report, err := d.play(ctx, about, judged)
	if err != nil && ctx.Err() == nil {
		report, err = d.play(ctx, about, judged) // a browser may die of anything
	}
	if err != nil {
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		return agent.Verdict{Unknown: true, Findings: []string{"the judge's browser could not play it (" + clipped(err.Error()) + "); nothing is known of the game, hand it in again"}}, nil
	}
	if err := d.excuse(ctx, &report); err != nil {
		return v, err
	}
	v.Findings, v.Again = d.findings(report, changed)
	if v.OK = len(v.Findings) == 0; !v.OK {
		return v, nil
	}
	d.shots, d.green = report.Shots, true
	if n := len(checksOfGame(files)); n < leastChecks && len(d.before) < leastChecks && d.asked < asksChecks {
		d.asked++
		v.Wanting = fmt.Sprintf("But checks/ has %d checks: write at least %d, one for start and score, one for the end and the restart, and one for each rule that was asked for.", n, leastChecks)
	}
	v.Note = fmt.Sprintf("%d checks of the judge passed; the best play scores %v, blind play %v.", len(report.Checks), report.Score, report.Blind)
	return v, d.keep(revision{files: files, shots: report.Shots})
}

func (d *desk) play(ctx context.Context, about kit.About, files compile.Files) (playtest.Report, error) {
	return d.g.play(ctx, d.rep, playtest.Game{
		Files: files, Width: about.Size.W, Height: about.Size.H, Short: d.game.short, Shots: d.effort.visual,
	})
}

// excuse takes out of a change's way what was wrong with the game before.
func (d *desk) excuse(ctx context.Context, report *playtest.Report) error {
	if d.before == nil || report.OK() {
		return nil
	}
	if d.was == nil {
		d.was = []string{}
		old, files := desk{g: d.g, rep: mute{}, effort: d.effort, game: d.game}, maps.Clone(d.game.files)
		if about, v, err := old.build(ctx, files); err == nil && v.OK {
			if former, err := old.play(ctx, about, files); err == nil {
				for _, check := range checksOf(former) {
					d.was = append(d.was, kindOf(check))
				}
			}
		}
	}
	for i, c := range report.Checks {
		one := playtest.Report{Checks: []playtest.Check{c}}
		if kinds := checksOf(one); len(kinds) > 0 && slices.Contains(d.was, kindOf(kinds[0])) {
			report.Checks[i].Blocking = false
			warn(d.rep, "degraded", "The game does not pass the judge, and did not before this change: "+clipped(c.Rule+" "+c.Note)+".")
		}
	}
	return ctx.Err()
}

// withFormer are the files to judge: with the checks of before that the author
// changed or deleted, as they were, where there is room for them.
func (d *desk) withFormer(files compile.Files) (judged compile.Files, changed bool) {
	judged = maps.Clone(files)
	for _, name := range d.before.Names() {
		if now, there := files[name]; there && string(now) == string(d.before[name]) || len(checksOfGame(judged)) >= mostChecks {
			continue
		}
		if data, ok := former(d.before[name]); ok {
			judged["checks/former-"+path.Base(name)] = data
			changed = true
		}
	}
	return judged, changed
}

// findings are what of a report an author must mend. That checks of before do not
// hold any more is said once: whoever changed them then meant it, and the user is told.
func (d *desk) findings(report playtest.Report, changed bool) (out []string, again bool) {
	var formerly []string
	for _, c := range report.Failed(true) {
		note := c.Rule + " " + c.Note
		if changed && c.Rule == "G13" && strings.Contains(c.Note, formerMark) {
			formerly = append(formerly, c.Note)
			continue
		}
		if help := advice[c.Rule]; help != "" && !slices.ContainsFunc(out, func(said string) bool { return strings.HasSuffix(said, help) }) {
			note += ". " + help
		}
		out = append(out, note)
	}
	switch {
	case len(formerly) > 0 && !d.altered:
		d.altered, again = true, len(out) == 0
		out = append(out, "G13 "+strings.Join(formerly, "; ")+". Keep what the game did before. If the user asked for just that to change, hand it in as it is once more.")
	case len(formerly) > 0 && len(out) == 0:
		warn(d.rep, "degraded", "A check of the game does not hold any more, since the model changed it: "+clipped(strings.Join(formerly, "; "))+".")
	}
	if len(out) > 0 {
		for _, c := range report.Failed(false) {
			if !c.Blocking && c.Rule != "P04" {
				out = append(out, aside+c.Rule+" "+c.Note)
			}
		}
	}
	return out, again
}

// aside begins what is not in a revision's way.
const aside = "(not in the way) "

// advice says, by rule, what an author may do about it.
var advice = map[string]string{
	"G02": "Look at the line that it names; guard what may be undefined, and load nothing from outside.",
	"G03": "Paint the whole field in each draw, with at least four colours; what moves must be drawn where it is now.",
	"G04": "src/game.json's controls must name what starts it; with run() a press does, without it call begin().",
	"G05": "step must read input (left, right, action, tapped) and change what draw shows; chance only by random(s).",
	"G06": "state.score must rise by what a player can do, and by the same number that svc is told.",
	"G07": "Set state.outcome once to 'win', 'lose' or 'draw' when the run is over; it must be able to end within a minute, and not at once.",
	"G08": "create must return a fresh state with score 0; keep nothing of a run outside of it.",
	"G09": "Whoever looks must score more than blind tapping: make what is hit or missed depend on time and place.",
	"G10": "Keep to the size of src/game.json, and let the kit scale it.",
	"G12": "Look for divisions by 0 and lists that only grow.",
	"G13": "The check must hold with its inputs, twice alike, and not without them: mend the game, or what the check expects.",
}

// keep stores the revision that was proven for the case that the job fails later.
func (d *desk) keep(made revision) error {
	w, err := d.game.delivered(d.req, made, nil)
	if err != nil {
		return err
	}
	return w.keep(d.req.JobID, nil)
}

// play plays a game in the browser once.
func (g *embedded) play(ctx context.Context, rep Reporter, game playtest.Game) (playtest.Report, error) {
	if g.browser == nil {
		return playtest.Report{}, errors.New("there is no browser")
	}
	rep.Progress(api.StagePlaytesting, 74, "Playing the game in the browser.")
	done := call(rep, "playtest", map[string]any{"tier": "browser"})
	report, err := g.browser.Play(ctx, game)
	if err != nil {
		done(false, err.Error())
		return playtest.Report{}, err
	}
	summary := fmt.Sprintf("%d checks passed; the first run scores %v", len(report.Checks), report.Score)
	if !report.OK() {
		summary = report.String()
	}
	done(report.OK(), summary)
	shown := maps.Clone(game.Files)
	for _, shot := range report.Shots {
		shown[shotOf(shot.Moment)] = shot.JPEG
	}
	rep.Built(shown)
	rep.Event(played(report))
	return report, nil
}

var _ agent.Verifier = (*desk)(nil)

package gen

import (
	"context"
	"errors"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/studio"
)

// embedded is the generator without a model. Everything up to packaging is
// made in memory and verified there: a job that fails or is cancelled leaves
// the former game untouched.
type embedded struct {
	frameworks *frameworks
	browser    player         // nil plays in simulation only
	author     *author.Author // nil reads requests without a model
	agents     agent.Models   // nil leaves the sources as they are generated
	studio     studio.Models  // nil makes pictures and sounds without a model
	// simulate plays a spec's mechanic and tunes the spec until it passes; it
	// says what it tuned.
	simulate func(ctx context.Context, rep Reporter, s *spec.Spec, e effort) ([]string, error)
	// strangers compiles and judges sources that are not the generator's own.
	strangers sim.Judge
}

// player plays finished games; playtest.Pool is the real one.
type player interface {
	Warm()
	Play(ctx context.Context, g playtest.Game) (playtest.Report, error)
	Close()
}

// Generate makes a new game, or changes the project's.
func (g *embedded) Generate(ctx context.Context, req Request, rep Reporter) (Result, error) {
	rep = &rising{Reporter: rep}
	rep.Progress(api.StagePlanning, 6, "Reading the brief.")
	result, left, err := g.byModel(ctx, req, rep)
	if err != nil || left == nil {
		return result, err
	}
	return g.generate(ctx, req, rep, left)
}

// byModel is what a model writes whole: a new game, a change of one on the kit, a
// plan. What it leaves to the generator is the setback.
func (g *embedded) byModel(ctx context.Context, req Request, rep Reporter) (Result, *setback, error) {
	isNew, game, err := wantsNew(req)
	switch {
	case err != nil:
		return Result{}, nil, err
	case g.plans(req):
		return g.propose(ctx, req, rep, isNew, game)
	case req.Settings.ChatMode == api.ChatPlan:
	case game != nil:
		result, err := g.follow(ctx, req, rep, game)
		return result, nil, err
	case isNew && g.composes(req):
		return g.compose(ctx, req, rep)
	}
	return Result{}, &setback{reads: true}, nil
}

// generate has the generator make the game, or change one of its own.
func (g *embedded) generate(ctx context.Context, req Request, rep Reporter, left *setback) (Result, error) {
	reader, warning := (*author.Author)(nil), left.warning
	req.writes = left.reads && g.composes(req)
	if left.reads && !req.writes {
		reader, warning = g.authorFor(req)
	}
	d, err := decide(ctx, req, reader)
	if err != nil {
		return Result{}, err
	}
	if warning != "" {
		d.warnings = append(d.warnings, warning)
	}
	stock, warnings, err := g.stockFor(ctx, req, &d)
	if err != nil {
		return Result{}, err
	}
	d.stock, d.warnings = stock, append(d.warnings, warnings...)
	d.keep = func(made revision) error { return keep(ctx, req, &d, made) }
	refines := g.refines(req, &d)
	warnUnserved(req, rep, &d, refines)
	if req.Settings.ChatMode == api.ChatPlan {
		return plan(ctx, req, rep, d)
	}
	if g.browser != nil && (refines || !d.noChange) {
		g.browser.Warm() // it takes a second, which simulation and build need too
	}
	if !d.noChange || !refines {
		say(rep, d.explain())
	}
	if d.noChange && !refines {
		return Result{Summary: d.summary, Unmet: d.unmet, Free: true}, nil
	}
	made, err := g.produce(ctx, rep, &d, effortOf(req.Settings))
	var unplayable *unplayableError
	switch {
	case d.game != nil && refines && errors.As(err, &unplayable):
		made, err = d.fromScratch(req, unplayable.why), nil
	case !d.isNew && errors.As(err, &unplayable):
		d.unmet = append(d.unmet, clippedWish(req.Prompt))
		d.summary = "Nothing was changed: with this change the game could not be played (" + unplayable.why + ")."
		say(rep, d.summary)
		return Result{Summary: d.summary, Unmet: d.unmet, Free: true}, nil
	}
	if err != nil {
		return Result{}, err
	}
	if left.err != nil { // the balance is used up: the game is what a failed job leaves
		return Result{}, errors.Join(left.err, keep(ctx, req, &d, made))
	}
	if refines {
		if err := keep(ctx, req, &d, made); err != nil {
			return Result{}, err
		}
		made, err = g.refine(ctx, req, rep, &d, made, effortOf(req.Settings))
		switch {
		case err != nil:
			return Result{Written: made.files}, err
		case d.noChange:
			return Result{Summary: d.summary, Unmet: d.unmet, Free: true}, nil
		}
	}
	return handOut(ctx, req, rep, &d, made)
}

// handOut makes the verified game the project's.
func handOut(ctx context.Context, req Request, rep Reporter, d *decision, made revision) (Result, error) {
	rep.Progress(api.StagePackaging, 88, "Writing the files.")
	changed, err := save(ctx, req, rep, d, made)
	if err != nil {
		return Result{}, err
	}
	rep.Progress(api.StagePackaging, 94, "The game is ready.")
	say(rep, d.closing())
	result := Result{Summary: d.summary, Changed: changed, Unmet: d.unmet}
	if d.isNew {
		if result.Learned, err = learned(req, d.spec, d.written); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// revision is one verified state of a game.
type revision struct {
	files compile.Files
	shots []playtest.Shot
}

// keep stores the verified game for the case that the job fails while fixes are
// tried on it, or a model works on it.
func keep(ctx context.Context, req Request, d *decision, made revision) error {
	if d.noChange {
		return nil
	}
	w, err := deliver(ctx, req, d, made)
	if err != nil {
		return err
	}
	return w.keep(req.JobID, d.unmet)
}

// save writes the verified game, and what follow-up jobs need, at once.
func save(ctx context.Context, req Request, rep Reporter, d *decision, made revision) (changed bool, err error) {
	w, err := deliver(ctx, req, d, made)
	if err == nil {
		err = w.remove(draftFile)
	}
	if err != nil {
		return false, err
	}
	return w.apply(rep)
}

// deliver collects what changes in the project with a verified game.
func deliver(ctx context.Context, req Request, d *decision, made revision) (*delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := newDelivery(req)
	if err := w.game(withUnmet(made.files, d.unmet)); err != nil {
		return nil, err
	}
	settled := look.StyleOf(d.spec)
	if settled.Art = d.stock.style.Art; settled.Art == "" && d.stock.used["background"]+d.stock.used["hero"] != "" {
		settled.Art = settled.ArtOf(d.spec.Look.Mood)
	}
	style, err := settled.Marshal()
	if err != nil {
		return nil, err
	}
	data, err := spec.Marshal(d.spec)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.put(styleFile, style), saveMode(w, d.game != nil || len(d.written) > 0, made.files), w.put(specFile, data)); err != nil {
		return nil, err
	}
	if d.game == nil { // the pictures of an authored game are what they were
		if err := d.stock.save(w); err != nil {
			return nil, err
		}
	}
	return w, w.shots(made.shots)
}

// rising keeps the percentage from falling when a stage is entered again.
type rising struct {
	Reporter
	percent int
}

func (r *rising) Progress(stage api.Stage, percent int, message string) {
	r.percent = max(r.percent, percent)
	r.Reporter.Progress(stage, r.percent, message)
}

// say reports a finished message of the assistant.
func say(rep Reporter, lines ...string) {
	rep.Event(api.EventAssistantMessage, map[string]any{"text": strings.Join(lines, "\n")})
}

// call reports the call of a tool; the function it returns reports its result.
func call(rep Reporter, name string, args map[string]any) func(ok bool, summary string) {
	rep.Event(api.EventToolCall, map[string]any{"name": name, "args": args})
	return func(ok bool, summary string) {
		rep.Event(api.EventToolResult, map[string]any{"name": name, "ok": ok, "summary": summary})
	}
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

var _ Generator = (*embedded)(nil)

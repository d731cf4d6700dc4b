package gen

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
)

// refines reports whether a model shall change the sources of a game: where a
// model read the request and the GameSpec can't express all of it, or, at the
// highest reasoning level, a new game in any case.
func (g *embedded) refines(req Request, d *decision) bool {
	if g.agents == nil || !d.read || req.Settings.ChatMode == api.ChatPlan {
		return false
	}
	return len(d.open) > 0 || d.isNew && req.Settings.ReasoningLevel == api.ReasoningHigh
}

// refine has a model change the sources of a game that is proven. What it does
// counts once it is proven too; otherwise the game comes out as it went in.
// The error is ctx's, the balance's or the generator's own; what comes out beside it is
// what the model had written.
func (g *embedded) refine(ctx context.Context, req Request, rep Reporter, d *decision, made revision, e effort) (revision, error) {
	bench := &bench{g: g, rep: rep, spec: d.spec, effort: e, game: d.game}
	limits, window := g.limitsFor(ctx, req)
	out, err := agent.Run(ctx, g.agents, bench, agentReporter{rep, 84, 86}, agent.Task{
		Model: req.Settings.Model, Ask: ask(req), Limits: limits, Window: window,
		Game: made.files, Fixed: fixed(stockFixed, req), Manual: stockManual, About: about(d, made.files), Stage: g.stageFor(ctx, req, rep), Mask: Masked,
	})
	if err != nil {
		return revision{files: out.Written}, err
	}
	worked(rep, out)
	switch {
	case out.Stop != "" && out.Files == nil:
		warn(rep, "degraded", helped(fmt.Sprintf("The model changed nothing in the sources, since %s: the game is as the generator made it.", out.Stop), remedy(out)))
		return made, nil
	case out.Stop != "":
		warn(rep, "degraded", fmt.Sprintf("The model was stopped, since %s. What it had done by then passed and is in the game.", out.Stop))
	}
	if out.Stop == "" {
		d.unmet = append(slices.DeleteFunc(d.unmet, func(u string) bool { return slices.Contains(d.open, u) }), out.Unmet...)
	}
	if out.Files == nil {
		return made, nil
	}
	return g.adopt(d, out, bench, made)
}

// adopt makes a revision of a model's the game.
func (g *embedded) adopt(d *decision, out agent.Outcome, b *bench, made revision) (revision, error) {
	s := d.spec
	s.Play = withData(s, out.Files[compile.DataFile]).Play
	if d.game == nil {
		generated, err := compile.Compile(s, d.assets)
		if err != nil {
			return made, fmt.Errorf("writing the sources: %w", err)
		}
		d.written = written(generated, out.Files)
	}
	d.spec, d.noChange = s, false
	said := brief.Clip(Masked(out.Summary), 300)
	if said == "" {
		said = "A model changed the sources."
	}
	if d.isNew || len(d.did) > 0 {
		d.summary += " " + said
	} else {
		d.summary = said
	}
	return revision{files: out.Files, shots: b.shots}, nil
}

// about tells a model what the generator made of the request.
func about(d *decision, files compile.Files) string {
	var b strings.Builder
	s := d.spec
	fmt.Fprintf(&b, "%q, a %s game (%s) in the %s theme. The hero is a %s, to avoid: %s, to collect: %s. %s",
		s.Title, s.Mechanic, format(s), s.Theme, s.Cast.Hero.Noun, s.Cast.Hazard.Noun, s.Cast.Pickup.Noun, s.Text.HowTo)
	if len(d.did) > 0 {
		fmt.Fprintf(&b, "\nFor this request the generator changed: %s.", strings.Join(d.did, "; "))
	}
	if d.game != nil {
		b.WriteString("\nIts sources were written for it before, by a model or a person: what they do stays, but for what is asked now.")
	}
	if d.broken != "" {
		fmt.Fprintf(&b, "\nAs it is it can't be played: %s.", d.broken)
	}
	if len(d.open) > 0 {
		fmt.Fprintf(&b, "\nWhat the generator could not do, and you are asked to: %s.", strings.Join(d.open, "; "))
	}
	mechanic := "src/mechanics/" + s.Mechanic + ".js"
	fmt.Fprintf(&b, "\n\n%s:\n\n%s", mechanic, brief.Clip(string(files[mechanic]), maxShown))
	return b.String()
}

// maxShown bounds the mechanic that a model is shown at the start, in characters.
const maxShown = 24 << 10

// clipped shortens what is not ours before it is shown.
func clipped(text string) string { return brief.Clip(text, 300) }

// mostSaid bounds, in characters, what of a model's words one event holds.
const mostSaid = 2000

// agentReporter passes on what a model says and does.
type agentReporter struct {
	rep      Reporter
	from, to int // percent of the job
}

// Step implements agent.Reporter.
func (r agentReporter) Step(n, most int) {
	r.rep.Progress(api.StageWriting, r.from+(r.to-r.from)*(n-1)/most, fmt.Sprintf("The model writes: step %d of at most %d.", n, most))
}

// Delta implements agent.Reporter.
func (r agentReporter) Delta(text string) {
	for piece := range slices.Chunk([]rune(Masked(text)), mostSaid) {
		r.rep.Event(api.EventAssistantDelta, map[string]any{"text": string(piece)})
	}
}

// Say implements agent.Reporter.
func (r agentReporter) Say(text string) {
	say(r.rep, brief.Clip(Masked(text), mostSaid))
}

// Call implements agent.Reporter.
func (r agentReporter) Call(name string, args map[string]any) func(ok bool, summary string) {
	if args == nil {
		args = map[string]any{}
	}
	return call(r.rep, name, args)
}

// Made implements agent.Reporter.
func (r agentReporter) Made(file string, a agent.Asset) {
	name := strings.TrimSuffix(path.Base(file), a.Ext)
	kind := "audio"
	if a.Ext == ".png" || a.Ext == ".jpg" {
		kind = "image"
	}
	announce(r.rep, name, kind, a.Source, map[string]any{"path": path.Join(Deliverable, file)})
}

var _ agent.Reporter = agentReporter{}

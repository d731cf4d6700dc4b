package gen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/change"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/skills"
)

// decision is what a request comes down to.
type decision struct {
	spec       spec.Spec
	current    *spec.Spec // the project's game, nil when there is none
	reading    brief.Reading
	order      brief.Order
	candidates []string // mechanics to try in turn, the spec's own first
	failed     []string // those that were asked for and can't be played
	isNew      bool
	noChange   bool
	did        []string // what a change request changed
	unmet      []string
	summary    string
	warnings   []string

	read   bool      // a model read the request
	open   []string  // those of unmet that a change of the sources may meet
	broken string    // why the game can't be played as it is, if a model is to mend it
	game   *authored // the project's game if its sources are the truth, else nil
	// written are the sources that a model wrote in this job, in a game that was
	// generated until then.
	written compile.Files
	stock   *stock
	given   map[string][]byte // pictures that came with the request, by role
	assets  compile.Files     // pictures and sounds of the game as it was last assembled
	// keep stores a proven game while fixes are tried on it; nil stores none.
	keep func(made revision) error
}

// maxReasons bounds the explanation of a long brief.
const maxReasons = 24

// decide reads the request against what the project holds, and what it wants of
// pictures that came with it.
func decide(ctx context.Context, req Request, model *author.Author) (decision, error) {
	req.Prompt = secretPattern.ReplaceAllString(req.Prompt, " ")
	rest, wishes := cutPictures(req)
	if model == nil && rest != "" { // a model gets all of it
		req.Prompt = rest
	}
	alone := model == nil && rest == ""
	d, err := decideWords(ctx, req, model, alone)
	if err == nil {
		d.givePictures(req, wishes)
	}
	return d, err
}

// decideWords reads the words of a request. With an author, a model says what they
// mean. One that is for pictures alone has none for a game that is there.
func decideWords(ctx context.Context, req Request, model *author.Author, pictures bool) (decision, error) {
	current, warnings, err := loadSpec(req)
	if err != nil {
		return decision{}, err
	}
	truth, err := Authored(req.Workspace)
	if err != nil {
		return decision{}, err
	}
	var d decision
	if pictures && current != nil {
		req.Prompt = ""
	}
	switch {
	case asksAnew(req.Prompt), !truth && (current == nil || isBrief(req.Prompt, current)):
		d, err = decideNew(ctx, req, model)
	case current == nil, truth && model == nil && !req.writes && isBrief(req.Prompt, current):
		d = untouched(req.Prompt, current)
	default:
		var game *authored
		if truth {
			if game, err = loadAuthored(req.Workspace, *current); err != nil {
				return decision{}, err
			}
			current = &game.spec
		}
		d, err = decideChange(ctx, req, *current, game, model)
		if truth && !d.read && isBrief(req.Prompt, current) { // a model would have known that it is one
			warnings = append(warnings, d.warnings...)
			d = untouched(req.Prompt, current)
		}
	}
	d.current = current
	if n := len(background(req)); n > brief.MaxText && !d.read {
		warnings = append(warnings, fmt.Sprintf("Instructions, context and skills have %d bytes: a model would get all of them, the generator reads the first %d.", n, brief.MaxText))
	}
	d.warnings = append(warnings, d.warnings...)
	return d, err
}

func loadSpec(req Request) (s *spec.Spec, warnings []string, err error) {
	data, err := readOptional(req.Workspace, specFile)
	if err != nil || data == nil {
		return nil, nil, err
	}
	read, err := spec.Unmarshal(data)
	if err != nil {
		return nil, []string{fmt.Sprintf("The project's %s can't be read, so this is a new game: %v.", specFile, err)}, nil
	}
	return &read, nil, nil
}

// decideNew makes a spec of the brief. The project's instructions and the
// job's context are read too, but only the brief can have unmet wishes.
func decideNew(ctx context.Context, req Request, model *author.Author) (decision, error) {
	var style *look.Style
	var warnings []string
	data, err := readOptional(req.Workspace, styleFile)
	if err != nil {
		return decision{}, err
	}
	if data != nil {
		read, err := look.ParseStyle(data)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("The project's %s is not used: %v.", styleFile, err))
		} else {
			style = &read
		}
	}
	text, wishes := change.CutWishes(req.Prompt)
	reading := brief.Read(text)
	reading = reading.Under(brief.Read(background(req)))
	o := order(req)
	o.Style = style
	understood := false
	if model != nil {
		read, err := model.Brief(ctx, ask(req), o, reading)
		if reason, failed := degraded(ctx, err); failed {
			return decision{}, err
		} else if reason != "" {
			warnings = append(warnings, reason)
		} else {
			reading, understood = read, true
		}
	}
	d := decision{
		spec: reading.Write(o), reading: reading, order: o,
		candidates: reading.Ranked(o), isNew: true, unmet: reading.Unmet, warnings: warnings, read: understood,
	}
	d.spec.Background = backgroundSum(req)
	d.unmet = change.Behave(&d.spec, text, d.unmet)
	d.unmet = append(d.unmet, change.Wishes(&d.spec, wishes)...)
	if d.read {
		d.open = slices.Clone(reading.Unmet)
	}
	before, after := d.ofKind()
	d.unmet = slices.Concat(before, d.unmet, after)
	if reading.Empty() && len(d.unmet) == 0 {
		d.unmet = []string{clippedWish(req.Prompt)}
	}
	d.summary = fmt.Sprintf("%s: %s", d.spec.Title, d.spec.Text.HowTo)
	return d, nil
}

// order is what the settings ask of a game.
func order(req Request) brief.Order {
	s := req.Settings
	o := brief.Order{
		ProjectID: req.ProjectID, Seed: brief.Seed(req.ProjectID, req.Prompt),
		Format: spec.Short, Solid: s.DimensionMode == api.Dimension3D, Art: spec.Placeholder, Sound: on(s.AIAudio),
	}
	if s.GameType == api.GamePlatform {
		o.Format = spec.Platform
	}
	if on(s.AIImages) {
		o.Art = spec.Procedural
	}
	return o
}

func on(b *bool) bool { return b != nil && *b }

// beyond returns what was understood of a brief, but is not possible under the
// project's settings.
func beyond(r brief.Reading, s spec.Spec, o brief.Order) []string {
	var unmet []string
	add := func(not bool, format string, args ...any) {
		if not {
			unmet = append(unmet, fmt.Sprintf(format, args...))
		}
	}
	add(r.Seconds > 0 && r.Seconds != s.Play.Duration, "%d seconds: a game of this type lasts %d", r.Seconds, s.Play.Duration)
	add(r.Rules.Endless && s.Play.Duration > 0, "without a limit of time: a game of this type lasts %d seconds at most", spec.MaxDuration)
	add(r.Rules.Solid && !o.Solid, "3D: settings.dimensionMode is 2d")
	add(r.Rules.Flat && o.Solid, "2D: settings.dimensionMode is 3d")
	add(r.Rules.Renderer != "" && r.Rules.Renderer != s.Renderer, "%s: a %s game is shown by %s", r.Rules.Renderer, dimension(o.Solid), s.Renderer)
	add(r.Rules.Sound == brief.Wanted && !s.Sound, "sound: settings.aiAudio is off")
	add(r.Rules.Sound == brief.Refused && s.Sound, "silence: settings.aiAudio is on")
	turns := catalog.Mechanics[s.Mechanic].Turns
	for _, rule := range []struct {
		name string
		wish brief.Wish
	}{{"a boss", r.Rules.Boss}, {"power-ups", r.Rules.Powers}, {"combos", r.Rules.Combo}} {
		add(turns && rule.wish == brief.Wanted, "%s: %s has none", rule.name, brief.Article(s.Mechanic+" game"))
	}
	return unmet
}

func dimension(solid bool) string {
	if solid {
		return "3D"
	}
	return "2D"
}

// background is the text of instructions, context blocks and skills, without secrets: what
// is read of it may be in the game.
func background(req Request) string {
	parts := []string{req.Instructions}
	for _, c := range req.Context {
		if !isPicture(c) {
			parts = append(parts, c.Content)
		}
	}
	for _, s := range req.Skills {
		parts = append(parts, s.Prompt, strings.Join(s.Mechanics, " "))
	}
	return secretPattern.ReplaceAllString(strings.Join(parts, "\n"), " ")
}

// clippedWish names a whole request as unmet.
func clippedWish(prompt string) string {
	return brief.Clip(Masked(prompt), 80)
}

// decideChange reads a request as a change of the project's game, which game holds
// if its sources are the truth.
func decideChange(ctx context.Context, req Request, current spec.Spec, game *authored, model *author.Author) (decision, error) {
	framed := current
	did := change.Reframe(&framed, order(req))
	if game == nil && model == nil {
		did = append(did, heedBackground(req, &framed)...)
	}
	var warnings []string
	if game != nil && len(did) > 0 {
		framed, did, warnings = current, nil, []string{keptSettings(did)}
	}
	d, outcome, err := changes(ctx, req, framed, game, model)
	if err != nil {
		return decision{}, err
	}
	d.game, d.warnings = game, append(warnings, d.warnings...)
	d.spec, d.did, d.unmet = outcome.Spec, append(did, outcome.Did...), outcome.Unmet
	d.candidates = []string{outcome.Spec.Mechanic}
	d.noChange = len(d.did) == 0
	d.summary = "Changed: " + strings.Join(d.did, "; ") + "."
	switch {
	case d.noChange && len(d.unmet) == 0:
		d.summary = "Nothing was changed, since nothing was asked for. " + change.Help
	case d.noChange && outcome.AtBounds:
		d.summary = "Nothing was changed: " + strings.Join(d.unmet, "; ") + "."
	case d.noChange:
		d.summary = "Nothing was changed: the request was not understood. " + change.Help
	}
	return d, nil
}

// changes carries a request out, in a model's words or the user's own. What a
// model has to say about it is in the decision.
func changes(ctx context.Context, req Request, current spec.Spec, game *authored, model *author.Author) (decision, change.Outcome, error) {
	if req.writes {
		return leaving(req, current, game)
	}
	if model == nil {
		return decision{}, change.Apply(current, req.Prompt, game.limit()), nil
	}
	if alone := change.Apply(current, req.Prompt, game.limit()); len(alone.Did) > 0 && len(alone.Unmet) == 0 && !isBrief(req.Prompt, &current) {
		return decision{}, alone, nil // nobody need be paid for it
	}
	wishes, err := model.Change(ctx, ask(req), current)
	reason, failed := degraded(ctx, err)
	switch {
	case failed:
		return decision{}, change.Outcome{}, err
	case reason != "":
		return decision{warnings: []string{reason}}, change.Apply(current, req.Prompt, game.limit()), nil
	}
	outcome := change.Outcome{Spec: current}
	if wishes.Text != "" {
		outcome = change.Apply(current, wishes.Text, game.limit())
		outcome.AtBounds = outcome.AtBounds && len(wishes.Unmet) == 0
	}
	open := wishes.Unmet
	outcome.Unmet = append(outcome.Unmet, wishes.Unmet...)
	if game != nil { // what its data does not hold may be done in its sources
		open = slices.Clone(outcome.Unmet)
	}
	return decision{read: true, open: open}, outcome, nil
}

// leaving does of a request what the generator's grammar does, and leaves the rest to
// a model that changes the sources.
func leaving(req Request, current spec.Spec, game *authored) (decision, change.Outcome, error) {
	if isBrief(req.Prompt, &current) {
		all := []string{clippedWish(req.Prompt)}
		return decision{read: true, open: all}, change.Outcome{Spec: current, Unmet: slices.Clone(all)}, nil
	}
	outcome := change.Apply(current, req.Prompt, game.limit())
	d := decision{read: true}
	if !outcome.AtBounds {
		d.open = slices.Clone(outcome.Unmet)
	}
	return d, outcome, nil
}

// swap puts another mechanic into a new game's spec, and says so where its own was
// asked for.
func (d *decision) swap(mechanic string) {
	before, after := d.ofKind()
	rest := slices.DeleteFunc(slices.Clone(d.unmet), func(u string) bool { return slices.Contains(before, u) || slices.Contains(after, u) })
	if d.reading.Mechanics[d.spec.Mechanic] >= clearBrief {
		d.failed = append(d.failed, d.spec.Mechanic)
	}
	d.spec = change.Mechanic(d.spec, mechanic)
	d.spec.Content = d.reading.Content.For(mechanic)
	before, after = d.ofKind()
	d.unmet = slices.Concat(before, rest, after)
	d.summary = fmt.Sprintf("%s: %s", d.spec.Title, d.spec.Text.HowTo)
}

// explain says which words chose what.
func (d *decision) explain() string {
	var b strings.Builder
	if d.isNew {
		fmt.Fprintf(&b, "I'm making %q, %s in the %s theme.", d.spec.Title, brief.Article(d.spec.Mechanic+" game"), d.spec.Theme)
		for _, r := range d.reading.Because[:min(maxReasons, len(d.reading.Because))] {
			fmt.Fprintf(&b, "\n- %q chose %s.", r.Word, r.Chose)
		}
		if d.reading.Empty() {
			b.WriteString("\nNo word of the brief chose anything, so all of it is free choice.")
		}
	} else if d.noChange {
		b.WriteString(d.summary)
	} else {
		b.WriteString("I'm changing the game: " + strings.Join(d.did, "; ") + ".")
	}
	if len(d.unmet) > 0 {
		fmt.Fprintf(&b, "\nNot understood or not possible: %s.", strings.Join(d.unmet, "; "))
	}
	return b.String()
}

func (d *decision) closing() string {
	if d.isNew {
		return fmt.Sprintf("%q is ready. %s", d.spec.Title, d.spec.Text.HowTo)
	}
	return d.summary
}

// warnUnserved reports what of a request this generator can't serve.
func warnUnserved(req Request, rep Reporter, d *decision, refined bool) {
	for _, w := range d.warnings {
		warn(rep, "degraded", w)
	}
	if !refined && slices.ContainsFunc(req.Skills, func(s api.Skill) bool { return len(s.Files) > 0 && !skills.Learned(s) }) {
		warn(rep, "unserved_skills", "Of skills the generator takes what they are for, not their code.")
	}
}

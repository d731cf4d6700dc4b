package gen

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// planFile is what a job in plan mode writes.
const planFile = "PLAN.md"

// plan writes down what a job would do, and touches no game code.
func plan(ctx context.Context, req Request, rep Reporter, d decision) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	say(rep, d.explain())
	rep.Progress(api.StagePackaging, 90, "Writing the plan.")
	w := newDelivery(req)
	if err := w.put(path.Join(Deliverable, planFile), []byte(planText(d))); err != nil {
		return Result{}, err
	}
	changed, err := w.apply(rep)
	if err != nil {
		return Result{}, err
	}
	return Result{Summary: "A plan, in " + planFile + ": " + d.summary, Changed: changed, Unmet: d.unmet}, nil
}

func planText(d decision) string {
	var b strings.Builder
	s := d.spec
	fmt.Fprintf(&b, "# Plan: %s\n\n", s.Title)
	switch {
	case d.isNew:
		b.WriteString("A new game.\n\n")
	case d.noChange:
		b.WriteString(d.summary + "\n\n")
	default:
		fmt.Fprintf(&b, "A change of the project's game: %s.\n\n", strings.Join(d.did, "; "))
	}
	if s.Mechanic == "" {
		return b.String() // the game can't be described
	}
	fmt.Fprintf(&b, "| what | choice |\n|---|---|\n")
	for _, row := range [][2]string{
		{"Mechanic", s.Mechanic + ": " + s.Text.HowTo},
		{"Format", format(s)},
		{"Theme", s.Theme},
		{"Hero", s.Cast.Hero.Noun}, {"To avoid", s.Cast.Hazard.Noun}, {"To collect", s.Cast.Pickup.Noun}, {"Boss", bossOf(s)},
		{"Run", runText(s.Play)},
		{"Pace", fmt.Sprintf("speed %.2g, density %.2g, gravity %.2g, size %.2g, ramp %.2g", s.Play.Speed, s.Play.Density, s.Play.Gravity, s.Play.Size, s.Play.Ramp)},
		{"Colours", fmt.Sprintf("sky %s to %s, hero %s, to avoid %s, to collect %s", s.Palette.BG, s.Palette.BG2, s.Palette.Hero, s.Palette.Hazard, s.Palette.Pickup)},
		{"Renderer", s.Renderer},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
		}
	}
	if len(d.reading.Because) > 0 {
		b.WriteString("\n## Why\n\n")
		for _, r := range d.reading.Because {
			fmt.Fprintf(&b, "- %q chose %s.\n", r.Word, r.Chose)
		}
	}
	if len(d.unmet) > 0 {
		b.WriteString("\n## Not understood or not possible\n\n")
		for _, u := range d.unmet {
			fmt.Fprintf(&b, "- %s\n", u)
		}
	}
	b.WriteString("\nTo build it, send the same prompt with chatMode agent.\n")
	return b.String()
}

// bossOf is who the boss is, "" where there is none.
func bossOf(s spec.Spec) string {
	switch {
	case !s.Play.Boss:
		return ""
	case s.Cast.Boss == nil:
		return "a large " + s.Cast.Hazard.Noun
	}
	return s.Cast.Boss.Noun
}

func format(s spec.Spec) string {
	w, h := catalog.Field(s)
	if s.Format == spec.Short {
		return fmt.Sprintf("%dx%d portrait, one tap, visible score, instant restart", w, h)
	}
	return fmt.Sprintf("%dx%d, keyboard, mouse and touch", w, h)
}

// runText says how a run goes.
func runText(p spec.Play) string {
	parts := []string{fmt.Sprintf("%d lives", p.Lives)}
	if p.Duration > 0 {
		parts = append(parts, fmt.Sprintf("%d seconds", p.Duration))
	}
	if p.Levels > 1 {
		parts = append(parts, fmt.Sprintf("%d levels", p.Levels))
	}
	if p.Players > 1 {
		parts = append(parts, "two players in turns")
	}
	for _, rule := range []struct {
		on   bool
		text string
	}{{p.Boss, "a boss at the end"}, {p.Powers, "power-ups"}, {p.Combo, "combos"}} {
		if rule.on {
			parts = append(parts, rule.text)
		}
	}
	return strings.Join(parts, ", ")
}

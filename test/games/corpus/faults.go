package corpus

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Outcome is what became of a wish.
type Outcome struct {
	Before   spec.Spec // of a follow-up
	Spec     spec.Spec
	Unmet    []string
	Restored bool // an earlier revision is back
}

// faults collects what is not as expected.
type faults []string

func (f *faults) add(wrong bool, format string, args ...any) {
	if wrong {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// Nothing reports whether the game is to stay as it is: what is asked can't be had, or
// nothing is.
func (w Want) Nothing() bool {
	return slices.Contains(w.Same, "all") || len(w.Change)+len(w.Equal) == 0 && w.Stage == nil && !w.Restored && !w.Logo
}

// Faults are the expectations that an outcome does not fulfil.
func (w Want) Faults(o Outcome) []string {
	var f faults
	w.ofBrief(o, &f)
	w.ofFollowUp(o, &f)
	return f
}

func (w Want) ofBrief(o Outcome, f *faults) {
	s, said := o.Spec, strings.ToLower(strings.Join(o.Unmet, "\n"))
	f.add(len(w.Kind) > 0 && !slices.Contains(w.Kind, s.Mechanic), "it is %s, want %v", s.Mechanic, w.Kind)
	switch unmet := w.Unmet.(type) {
	case []any:
		f.add(len(o.Unmet) > 0, "nothing should be unmet")
	case string:
		f.add(!strings.Contains(said, strings.ToLower(unmet)), "%s should be unmet", unmet)
	}
	f.add(len(o.Unmet) < w.UnmetMin, "want %d unmet", w.UnmetMin)
	for _, has := range w.UnmetHas {
		f.add(!strings.Contains(said, has), "%s should be unmet", has)
	}
	f.add(w.UnmetFirst != "" && (len(o.Unmet) == 0 || !strings.Contains(strings.ToLower(o.Unmet[0]), w.UnmetFirst)), "%s should be the first unmet", w.UnmetFirst)
	for _, member := range [][3]string{
		{"lang", s.Lang, w.Lang}, {"title", s.Title, w.Title}, {"hero", s.Cast.Hero.Noun, w.Hero}, {"pickup", s.Cast.Pickup.Noun, w.Pickup},
		{"theme", s.Theme, w.Theme}, {"mood", s.Look.Mood, w.Mood}, {"renderer", s.Renderer, w.Renderer},
	} {
		f.add(member[2] != "" && member[1] != member[2], "%s is %q, want %q", member[0], member[1], member[2])
	}
	f.add(w.NotHero != "" && s.Cast.Hero.Noun == w.NotHero, "the hero is a %s", w.NotHero)
	f.add(w.NotPickup != "" && s.Cast.Pickup.Noun == w.NotPickup, "the pickup is a %s", w.NotPickup)
	f.add(w.NotHazard != "" && s.Cast.Hazard.Noun == w.NotHazard, "the hazard is a %s", w.NotHazard)
	f.add(w.Boss && !s.Play.Boss, "there is no boss")
	f.add(w.Lives > 0 && s.Play.Lives != w.Lives, "%d lives", s.Play.Lives)
	f.add(w.Players > 0 && s.Play.Players != w.Players, "%d players", s.Play.Players)
	f.add(w.Content > 0 && len(s.Content) != w.Content, "content %q", s.Content)
	for name, v := range w.Param {
		f.add(s.Params[name] != v, "%s is %v, want %v", name, s.Params[name], v)
	}
}

func (w Want) ofFollowUp(o Outcome, f *faults) {
	before, after := members(o.Before), members(o.Spec)
	for path, way := range w.Change {
		if path == "challenge" {
			f.add(!harder(way, before, after), "it is not %s", map[string]string{"up": "harder", "down": "easier"}[way])
			continue
		}
		a, b := amountOf(at(before, path)), amountOf(at(after, path))
		f.add(wrongWay(way, a, b), "%s went from %v to %v, not %s", path, a, b, way)
	}
	for _, path := range w.Same {
		f.add(fmt.Sprint(at(before, path)) != fmt.Sprint(at(after, path)), "%s changed to %v", path, at(after, path))
	}
	for path, v := range w.Equal {
		got := at(after, strings.ReplaceAll(strings.ReplaceAll(path, "boss.noun", "cast.boss.noun"), "table", "play.table"))
		f.add(fmt.Sprint(got) != fmt.Sprint(v), "%s is %v, want %v", path, got, v)
	}
	f.add(w.Restored && !o.Restored, "it is not read as a wish to go back")
	f.add(w.Logo && o.Spec.Pictures["logo"] == "", "there is no logo")
	if w.Stage == nil {
		return
	}
	i := slices.IndexFunc(o.Spec.Stages, func(s spec.Stage) bool { return s.Level == w.Stage.Level })
	f.add(i < 0, "level %d is as the others", w.Stage.Level)
	if i >= 0 {
		stage := o.Spec.Stages[i]
		f.add(w.Stage.Theme != stage.Theme || wrongWay(w.Stage.Speed, 1, cmp.Or(stage.Speed, 1)) || wrongWay(w.Stage.Density, 1, cmp.Or(stage.Density, 1)),
			"level %d is %+v", w.Stage.Level, stage)
		f.add(w.Stage.Recolored && (stage.Palette == nil || *stage.Palette == o.Spec.Palette), "level %d has the colours of the others", w.Stage.Level)
	}
	f.add(o.Before.Theme != o.Spec.Theme, "all levels changed")
}

// challenge are the tunables by which a game without an opponent gets harder.
var challenge = []string{"play.density", "play.ramp", "play.speed"}

// harder reports whether what there is of them moved one way, and nothing the other.
func harder(way string, before, after any) bool {
	moved := false
	for _, path := range challenge {
		a, b := amountOf(at(before, path)), amountOf(at(after, path))
		if a == b {
			continue
		}
		if moved = true; wrongWay(way, a, b) {
			return false
		}
	}
	return moved
}

// along are the members that change with one that is named.
var along = map[string][]string{
	"challenge": challenge, "lang": {"text", "title"}, "play.safe": {"play.duration"}, "cast.hero.noun": {"cast.hero", "text", "look.hero", "look.hero2", "palette"},
}

// Unasked are the paths of what changed and was not expected to.
func (w Want) Unasked(o Outcome) []string {
	var named []string
	if w.Stage != nil {
		named = append(named, "stages")
	}
	for path := range w.Change {
		named = append(append(named, path), along[path]...)
	}
	for path := range w.Equal {
		named = append(append(named, path), along[path]...)
	}
	return slices.DeleteFunc(apart("", members(o.Before), members(o.Spec)), func(path string) bool {
		return w.Restored || slices.ContainsFunc(named, func(n string) bool { return path == n || strings.HasPrefix(path, n+".") })
	})
}

// apart returns the paths at which plain data differ.
func apart(path string, a, b any) (out []string) {
	x, isMap := a.(map[string]any)
	y, both := b.(map[string]any)
	if !isMap || !both {
		if !reflect.DeepEqual(a, b) {
			out = append(out, path)
		}
		return out
	}
	for name := range x {
		out = append(out, apart(strings.TrimPrefix(path+"."+name, "."), x[name], y[name])...)
	}
	for name := range y {
		if _, there := x[name]; !there {
			out = append(out, strings.TrimPrefix(path+"."+name, "."))
		}
	}
	return out
}

// wrongWay reports whether something that is to go up or down did not.
func wrongWay(way string, before, after float64) bool {
	return way == "up" && after <= before || way == "down" && after >= before
}

// members returns a spec as plain data.
func members(s spec.Spec) (v any) {
	data, err := spec.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		panic(err) // a spec is plain data
	}
	return v
}

// at returns what plain data has at a path; "all" is all of it.
func at(v any, path string) any {
	if path == "all" {
		return v
	}
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// amountOf makes numbers of what may rise or fall.
func amountOf(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case []any:
		return float64(len(v))
	}
	return 0
}

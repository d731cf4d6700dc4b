package gen

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/spec"
)

// wish is a line of test/games/corpus: a brief, or a follow-up to one, with what a
// machine can check of what becomes of it.
type wish struct {
	Name, Brief, Prompt, Format, Dim, Context string
	Repeat                                    int
	After                                     []string
	Want                                      struct {
		Kind, UnmetHas, Same                                                                        []string
		Unmet                                                                                       any
		UnmetMin, Content, Lives, Players                                                           int
		UnmetFirst, Lang, Title, Hero, Pickup, Theme, Mood, Renderer, NotHero, NotPickup, NotHazard string
		Boss, Restored, Logo, Quiet                                                                 bool
		Param                                                                                       map[string]float64
		Change                                                                                      map[string]string
		Equal                                                                                       map[string]any
		Stage                                                                                       *struct {
			Level        int
			Theme, Speed string
		}
	}
}

func wishes(t *testing.T, file string) (out []wish) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "test", "games", "corpus", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var w wish
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if w.Repeat > 0 {
			w.Prompt = strings.Repeat(w.Prompt, w.Repeat)
		}
		out = append(out, w)
	}
	return out
}

func (w wish) settings() api.Settings {
	s := api.Settings{}
	if w.Format == "platform" {
		s.GameType = api.GamePlatform
	}
	if w.Dim == "3d" {
		s.DimensionMode = api.Dimension3D
	}
	return s
}

func TestBriefsAreUnderstood(t *testing.T) {
	for _, w := range wishes(t, "briefs.jsonl") {
		d, err := decide(t.Context(), Request{Prompt: w.Prompt, ProjectID: "p", Settings: w.settings(), Workspace: newProject(t, nil).root}, nil)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		for _, fault := range w.faults(d) {
			t.Errorf("%s: %.60q: %s; unmet %q", w.Name, w.Prompt, fault, d.unmet)
		}
	}
}

// faults are the expectations that a decision does not fulfil.
func (w wish) faults(d decision) (out []string) {
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	s, want := d.spec, w.Want
	add(len(want.Kind) > 0 && !slices.Contains(want.Kind, s.Mechanic), "it is %s, want %v", s.Mechanic, want.Kind)
	if list, ok := want.Unmet.([]any); ok && len(list) == 0 {
		add(len(d.unmet) > 0, "nothing should be unmet")
	}
	add(len(d.unmet) < want.UnmetMin, "want %d unmet", want.UnmetMin)
	for _, has := range want.UnmetHas {
		add(!strings.Contains(strings.ToLower(strings.Join(d.unmet, "\n")), has), "%s should be unmet", has)
	}
	add(want.UnmetFirst != "" && (len(d.unmet) == 0 || !strings.Contains(strings.ToLower(d.unmet[0]), want.UnmetFirst)), "%s should be the first unmet", want.UnmetFirst)
	for name, pair := range map[string][2]string{
		"lang": {s.Lang, want.Lang}, "title": {s.Title, want.Title}, "hero": {s.Cast.Hero.Noun, want.Hero}, "pickup": {s.Cast.Pickup.Noun, want.Pickup},
		"theme": {s.Theme, want.Theme}, "mood": {s.Look.Mood, want.Mood}, "renderer": {s.Renderer, want.Renderer},
	} {
		add(pair[1] != "" && pair[0] != pair[1], "%s is %q, want %q", name, pair[0], pair[1])
	}
	add(want.NotHero != "" && s.Cast.Hero.Noun == want.NotHero, "the hero is a %s", want.NotHero)
	add(want.NotPickup != "" && s.Cast.Pickup.Noun == want.NotPickup, "the pickup is a %s", want.NotPickup)
	add(want.NotHazard != "" && s.Cast.Hazard.Noun == want.NotHazard, "the hazard is a %s", want.NotHazard)
	add(want.Boss && !s.Play.Boss, "there is no boss")
	add(want.Lives > 0 && s.Play.Lives != want.Lives, "%d lives", s.Play.Lives)
	add(want.Players > 0 && s.Play.Players != want.Players, "%d players", s.Play.Players)
	add(want.Content > 0 && len(s.Content) != want.Content, "content %q", s.Content)
	for name, v := range want.Param {
		add(s.Params[name] != v, "%s is %v, want %v", name, s.Params[name], v)
	}
	return out
}

// specMember returns what a spec has at a path of its JSON.
func specMember(t *testing.T, s spec.Spec, path string) any {
	t.Helper()
	data, err := spec.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(path, ".") {
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

// TestFollowUpsDoWhatIsMeant counts what is done of the corpus; what is not must be
// said.
func TestFollowUpsDoWhatIsMeant(t *testing.T) {
	const least = 81
	done, all := 0, wishes(t, "followups.jsonl")
	for _, w := range all {
		p := newProject(t, nil)
		if err := p.root.Mkdir(".svc", 0o755); err != nil {
			t.Fatal(err)
		}
		req := Request{Prompt: w.Brief, ProjectID: "p", Settings: w.settings(), Workspace: p.root}
		var before spec.Spec
		var d decision
		for i, prompt := range append(append([]string{w.Brief}, w.After...), w.Prompt) {
			before, req.Prompt = d.spec, prompt
			var err error
			if d, err = decide(t.Context(), req, nil); err != nil {
				t.Fatalf("%s: %v", w.Name, err)
			}
			data, err := spec.Marshal(d.spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.spec.Check(); err != nil {
				t.Errorf("%s: %q makes no game: %v", w.Name, prompt, err)
			}
			if i == 0 || prompt != w.Prompt {
				p.write(specFile, string(data))
			}
		}
		faults := w.missed(t, before, d)
		switch {
		case len(faults) == 0:
			done++
		case len(d.unmet) == 0 || slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "changed") }):
			t.Errorf("%s: %q: %q, and nothing is said", w.Name, w.Prompt, faults)
		default:
			t.Logf("%s: %q: %q; unmet %q", w.Name, w.Prompt, faults, d.unmet)
		}
	}
	if done < least {
		t.Errorf("%d of %d follow-ups are done, want %d", done, len(all), least)
	}
}

// missed are the expectations that a follow-up's decision does not fulfil.
func (w wish) missed(t *testing.T, before spec.Spec, d decision) (out []string) {
	t.Helper()
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	want := w.Want
	for path, way := range want.Change {
		a, b := amountOf(specMember(t, before, path)), amountOf(specMember(t, d.spec, path))
		add(way == "up" && b <= a || way == "down" && b >= a, "%s went from %v to %v, not %s", path, a, b, way)
	}
	add(want.Quiet && len(d.unmet) > 0, "nothing should be unmet")
	for _, path := range want.Same {
		if path == "all" {
			add(len(d.did) > 0, "it changed: %q", d.did)
			continue
		}
		add(fmt.Sprint(specMember(t, before, path)) != fmt.Sprint(specMember(t, d.spec, path)), "%s changed to %v", path, specMember(t, d.spec, path))
	}
	for path, v := range want.Equal {
		got := specMember(t, d.spec, strings.ReplaceAll(strings.ReplaceAll(path, "boss.noun", "cast.boss.noun"), "table", "play.table"))
		add(fmt.Sprint(got) != fmt.Sprint(v), "%s is %v, want %v", path, got, v)
	}
	if text, ok := want.Unmet.(string); ok {
		add(!strings.Contains(strings.Join(d.unmet, "\n"), text), "%s should be unmet", text)
	}
	if want.Restored {
		_, asked := ReadUndo(w.Prompt)
		add(!asked, "it is not read as a wish to go back")
	}
	add(want.Logo, "there is no logo")
	if st := want.Stage; st != nil {
		i := slices.IndexFunc(d.spec.Stages, func(s spec.Stage) bool { return s.Level == st.Level })
		add(i < 0, "level %d is as the others", st.Level)
		if i >= 0 {
			add(st.Theme != d.spec.Stages[i].Theme || st.Speed == "up" && d.spec.Stages[i].Speed <= 1, "level %d is %+v", st.Level, d.spec.Stages[i])
		}
		add(before.Theme != d.spec.Theme, "all levels changed")
	}
	return out
}

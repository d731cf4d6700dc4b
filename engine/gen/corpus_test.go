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
		Kind, UnmetHas, Same                                                                  []string
		Unmet                                                                                 any
		UnmetMin, Content, Lives, Players                                                     int
		UnmetFirst, Lang, Title, Hero, Pickup, Theme, Mood, Renderer, NotHero, NotPickup, NotHazard string
		Boss, Restored, Logo                                                                  bool
		Param                                                                                 map[string]float64
		Change                                                                                map[string]string
		Equal                                                                                 map[string]any
		Stage                                                                                 *struct {
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

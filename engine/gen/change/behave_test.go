package change

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

func gameOf(mechanic string) spec.Spec {
	s := brief.Read("A fox collects apples, hunted by ghosts").Write(brief.Order{ProjectID: "p", Seed: 1, Format: spec.Platform})
	return Mechanic(s, mechanic)
}

func TestHazardsMoveAsIsAsked(t *testing.T) {
	for request, want := range map[string]string{
		"the ghosts should wander around": "wander", "the enemies move randomly": "wander", "die Geister sollen ziellos herumlaufen": "wander", "los fantasmas se mueven al azar": "wander",
		"les fantômes se déplacent au hasard": "wander", "the ghosts should not chase the fox": "wander", "the ghosts should hunt the fox": "hunt", "die Gegner sollen den Fuchs verfolgen": "hunt",
		"los enemigos deben perseguirme": "hunt", "les ennemis me poursuivent": "hunt", "the ghosts should be smarter": "hunt",
	} {
		s := gameOf("chase")
		out := Apply(s, request, nil)
		i := int(out.Spec.Params[foes])
		if got := catalog.Mechanics["chase"].Params[foes].Ways[i]; got != want || len(out.Did) != 1 || len(out.Unmet) > 0 {
			t.Errorf("%q: %s, did %q, unmet %q; want %s", request, got, out.Did, out.Unmet, want)
		}
		if fields := touched(s, out.Spec); !slices.Equal(fields, []string{"Params"}) {
			t.Errorf("%q changed %v", request, fields)
		}
		if _, err := spec.Marshal(out.Spec); err != nil || catalog.Check(out.Spec) != nil {
			t.Errorf("%q makes no game: %v, %v", request, err, catalog.Check(out.Spec))
		}
	}
}

func TestWayThatAKindHasNotIsSaidWithThoseThatItHas(t *testing.T) {
	for _, c := range []struct{ mechanic, request, said string }{
		{"chase", "the ghosts should stand still", "a chase game has these ways: they move as they did at first, or they go after the hero, or they wander about"},
		{"chase", "the ghosts should patrol as usual", "it is like that already"},
		{"gap", "the ghosts should hunt the fox", "how the others move goes with the kind of game"},
		{"gap", "the enemies should behave differently", "how the others move goes with the kind of game"},
	} {
		s := gameOf(c.mechanic)
		out := Apply(s, c.request, nil)
		if len(out.Did) > 0 || len(touched(s, out.Spec)) > 0 || !strings.Contains(strings.Join(out.Unmet, "\n"), c.said) {
			t.Errorf("%s, %q: did %q, unmet %q", c.mechanic, c.request, out.Did, out.Unmet)
		}
	}
}

func TestBriefMaySayHowHazardsMove(t *testing.T) {
	for text, way := range map[string]float64{
		"pac-man with ghosts that wander around randomly": 2, "pac-man with ghosts that chase you": 0, "pac-man": 0,
		"space invaders, the aliens dive at me": 1,
	} {
		reading := brief.Read(text)
		s := reading.Write(brief.Order{ProjectID: "p", Seed: 1})
		if unmet := Behave(&s, text, reading.Unmet); s.Params[foes] != way || len(unmet) > 0 {
			t.Errorf("%q: %s, foes %v, unmet %q; want %v", text, s.Mechanic, s.Params[foes], unmet, way)
		}
	}
}

func TestEveryWayHasAName(t *testing.T) {
	for mechanic, m := range catalog.Mechanics {
		p, there := m.Params[foes]
		if !there {
			continue
		}
		if len(p.Ways) < 2 || p.Ways[0] != "own" || p.Value != 0 || p.Max != float64(len(p.Ways)-1) {
			t.Errorf("%s: %+v", mechanic, p)
		}
		for _, way := range p.Ways {
			if !slices.ContainsFunc(manners, func(m manner) bool { return m.name == way }) {
				t.Errorf("%s: no words for %q", mechanic, way)
			}
		}
	}
}

func TestWhatElseIsLeftToChanceMovesNobody(t *testing.T) {
	for _, text := range []string{"pac-man with ghosts of random colours", "pac-man with ghosts at random places", "pac-man with ghosts that never stand still"} {
		s := gameOf("chase")
		if Behave(&s, text, nil); s.Params[foes] != 0 {
			t.Errorf("%q: foes %v", text, s.Params[foes])
		}
	}
}

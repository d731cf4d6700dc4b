package change

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestTunableOfAKindIsSetByItsWordsAndNothingElseIs(t *testing.T) {
	for _, c := range []struct {
		mechanic, request, param string
		want                     float64
	}{
		{"hop", "with a triple jump", "jumps", 3}, {"hop", "ohne fliegende Gegner", "flying", 0}, {"gap", "the gaps should be wider", "gaps", 3}, {"gap", "engere Lücken bitte", "gaps", 1},
		{"gap", "the pipes should move", "moving", 1}, {"lane", "4 lanes", "lanes", 4}, {"lane", "una pista de 5 carriles", "lanes", 5}, {"lane", "one lane more", "lanes", 4}, {"lane", "fewer lanes", "lanes", 2},
		{"runner3d", "vier Spuren", "lanes", 4}, {"catch", "only good things fall", "bad", 0}, {"stack", "I win at 20 floors", "goal", 20}, {"tower3d", "gewonnen bei 30 Stockwerken", "goal", 30},
		{"bridge", "wider platforms", "pillars", 3}, {"chop", "win after 80 logs", "goal", 80}, {"cannon", "5 shots before reloading", "shots", 5}, {"cannon", "2 shots more", "shots", 5},
		{"breakout", "a bigger paddle", "paddle", 3}, {"breakout", "the paddle is too long", "paddle", 1}, {"gap", "die Lücken sind zu klein", "gaps", 3}, {"drive3d", "make the road a bit narrower", "road", 1}, {"breakout", "una pala más pequeña", "paddle", 1}, {"match", "25 moves", "moves", 25}, {"match", "only 4 colours", "colors", 4},
		{"dial", "a smaller target", "zone", 1}, {"dial", "always the same direction", "turns", 0}, {"color", "4 couleurs", "colors", 4}, {"drive3d", "eine breitere Straße", "road", 3},
		{"merge", "a bigger board", "size", 5},
	} {
		s := gameOf(c.mechanic)
		out := Apply(s, c.request, nil)
		if got := out.Spec.Params[c.param]; got != c.want || len(out.Did) != 1 || len(out.Unmet) > 0 {
			t.Errorf("%s, %q: %s is %v, want %v; did %q, unmet %q", c.mechanic, c.request, c.param, got, c.want, out.Did, out.Unmet)
		}
		if fields := touched(s, out.Spec); !slices.Equal(fields, []string{"Params"}) {
			t.Errorf("%s, %q changed %v", c.mechanic, c.request, fields)
		}
	}
}

func TestWordOfMoreNeverMakesLess(t *testing.T) {
	for _, c := range []struct {
		mechanic, request, param string
		now, want                float64
	}{
		{"merge", "a bigger board", "size", 6, 6}, {"jumper", "more springs", "springs", 3, 3}, {"jumper", "no more springs", "springs", 1, 1},
		{"asteroids", "more rocks", "rocks", 8, 9}, {"asteroids", "fewer rocks", "rocks", 1, 1}, {"blocks", "narrower", "columns", 6, 6},
	} {
		s := gameOf(c.mechanic)
		s.Params = with(s.Params, c.param, c.now)
		if out := Apply(s, c.request, nil); out.Spec.Params[c.param] != c.want {
			t.Errorf("%s, %q: %s %v → %v, want %v", c.mechanic, c.request, c.param, c.now, out.Spec.Params[c.param], c.want)
		}
	}
}

func TestThereAreMoreAndFewerPickupsWhateverTheyAre(t *testing.T) {
	for request, want := range map[string]float64{ // of apples, of which 2 is usual
		"more apples": 3, "many more apples": 4, "add a few more apples to collect": 3, "there should be lots of apples": 4, "mehr Äpfel": 3, "más manzanas": 3, "plus de pommes": 3, "not enough apples": 3,
		"fewer apples": 1, "too many apples": 1, "zu viele Äpfel": 1, "no apples": 0, "remove the apples": 0, "ohne Äpfel": 0, "more things to collect": 3,
		"an apple is worth 5 points": 2, "more points for apples": 2, "more ghosts": 2, "no more apples": 2,
	} {
		s := gameOf("hop")
		out := Apply(s, request, nil)
		if got := out.Spec.Params[pickups]; got != want {
			t.Errorf("%q: %v pickups, want %v; did %q, unmet %q", request, got, want, out.Did, out.Unmet)
		}
		if fields := touched(s, out.Spec); want != 2 && !slices.Equal(fields, []string{"Params"}) {
			t.Errorf("%q changed %v", request, fields)
		}
	}
	for text, want := range map[string]float64{"a fox runs and jumps over logs, with lots of apples": 4, "a fox runs and jumps over logs without apples": 0, "a fox runs, jumps over logs and collects apples": 2} {
		reading := brief.Read(text)
		s := reading.Write(brief.Order{ProjectID: "p", Seed: 1, Format: spec.Short})
		if Behave(&s, text, nil); s.Mechanic != "hop" || s.Params[pickups] != want {
			t.Errorf("%q: %s with %v pickups, want %v", text, s.Mechanic, s.Params[pickups], want)
		}
	}
}

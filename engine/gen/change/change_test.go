package change

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

func duckGame() spec.Spec {
	return brief.Read("A duck flies through gaps over the farm, avoiding rocks and collecting apples").Write(brief.Order{ProjectID: "p", Seed: 1})
}

// touched returns the paths of the fields in which two specs differ.
func touched(a, b spec.Spec) []string {
	var out []string
	var walk func(path string, a, b reflect.Value)
	walk = func(path string, a, b reflect.Value) {
		if a.Kind() != reflect.Struct {
			if !reflect.DeepEqual(a.Interface(), b.Interface()) {
				out = append(out, path)
			}
			return
		}
		for i := range a.NumField() {
			walk(strings.TrimPrefix(path+"."+a.Type().Field(i).Name, "."), a.Field(i), b.Field(i))
		}
	}
	walk("", reflect.ValueOf(a), reflect.ValueOf(b))
	return out
}

func TestRequestChangesExactlyWhatItSays(t *testing.T) {
	for _, c := range []struct {
		request string
		fields  []string // that may change; all of them must
		check   func(s spec.Spec) bool
	}{
		{"make it faster", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 1.25 }},
		{"Make it much faster!", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 1.6 }},
		{"a bit slower please", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 0.91 }},
		{"it is too hard", []string{"Play.Density", "Play.Ramp", "Play.Speed"}, func(s spec.Spec) bool { return s.Play.Density < 1 }},
		{"make it harder", []string{"Play.Density", "Play.Ramp", "Play.Speed"}, func(s spec.Spec) bool { return s.Play.Density > 1 }},
		{"add lives", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 5 }},
		{"add a life", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 4 }},
		{"only 1 life", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 1 }},
		{"give the player 5 lives", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 5 }},
		{"remove one life", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 2 }},
		{"30 seconds", []string{"Play.Duration"}, func(s spec.Spec) bool { return s.Play.Duration == 30 }},
		{"make it longer", []string{"Play.Duration"}, func(s spec.Spec) bool { return s.Play.Duration > 45 }},
		{"bigger duck", []string{"Play.Size"}, func(s spec.Spec) bool { return s.Play.Size == 1.2 }},
		{"make the player much smaller", []string{"Play.Size"}, func(s spec.Spec) bool { return s.Play.Size == 0.71 }},
		{"more obstacles", []string{"Play.Density"}, func(s spec.Spec) bool { return s.Play.Density == 1.3 }},
		{"fewer rocks", []string{"Play.Density"}, func(s spec.Spec) bool { return s.Play.Density == 0.77 }},
		{"less gravity", []string{"Play.Gravity"}, func(s spec.Spec) bool { return s.Play.Gravity == 0.8 }},
		{`call it "Duck, Duck and Go"`, []string{"Title"}, func(s spec.Spec) bool { return s.Title == "Duck, Duck and Go" }},
		{"rename it to Zoom", []string{"Title"}, func(s spec.Spec) bool { return s.Title == "Zoom" }},
		{"five levels", []string{"Play.Levels"}, func(s spec.Spec) bool { return s.Play.Levels == 5 }},
		{"add levels", []string{"Play.Levels"}, func(s spec.Spec) bool { return s.Play.Levels == 3 }},
		{"two players", []string{"Play.Players"}, func(s spec.Spec) bool { return s.Play.Players == 2 }},
		{"make it multiplayer", []string{"Play.Players"}, func(s spec.Spec) bool { return s.Play.Players == 2 }},
		{"boss a red dragon", []string{"Play.Boss", "Cast.Boss"}, func(s spec.Spec) bool { return s.Cast.Boss.Body == "dragon" && s.Cast.Boss.Color == "#e63946" }},
		{"add a boss at the end", []string{"Play.Boss"}, func(s spec.Spec) bool { return s.Play.Boss }},
		{"add power-ups and combos", []string{"Play.Powers", "Play.Combo"}, func(s spec.Spec) bool { return s.Play.Powers && s.Play.Combo }},
		{"it should get faster and faster", []string{"Play.Ramp"}, func(s spec.Spec) bool { return s.Play.Ramp == 1.6 }},
		{"render it with pixi.js", []string{"Renderer"}, func(s spec.Spec) bool { return s.Renderer == "pixi" }},
		{"mach es schneller", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 1.25 }},
		{"zwei Spieler und ein Endgegner", []string{"Play.Players", "Play.Boss"}, func(s spec.Spec) bool { return s.Play.Boss }},
		{"más rápido", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 1.25 }},
		{"cinco vidas", []string{"Play.Lives"}, func(s spec.Spec) bool { return s.Play.Lives == 5 }},
		{"un boss à la fin et trois niveaux", []string{"Play.Boss", "Play.Levels"}, func(s spec.Spec) bool { return s.Play.Levels == 3 }},
		{"plus lent", []string{"Play.Speed"}, func(s spec.Spec) bool { return s.Play.Speed == 0.8 }},
		{"faster and 30 seconds", []string{"Play.Speed", "Play.Duration"}, func(spec.Spec) bool { return true }},
	} {
		before := duckGame()
		out := Apply(before, c.request, nil)
		got := touched(before, out.Spec)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.fields))
		if !slices.Equal(got, want) || !c.check(out.Spec) {
			t.Errorf("%q changed %v to %+v, want %v; did %q", c.request, got, out.Spec.Play, want, out.Did)
		}
		if len(out.Unmet) != 0 {
			t.Errorf("%q: unmet %q", c.request, out.Unmet)
		}
	}
}

func TestLooksAndFiguresChangeWithoutTouchingPlay(t *testing.T) {
	for _, c := range []struct {
		request string
		check   func(s spec.Spec) bool
	}{
		{"make it pink", func(s spec.Spec) bool { return s.Look.Tint == "#ff6fb5" && s.Theme == "farm" }},
		{"make the duck blue", func(s spec.Spec) bool { return s.Palette.Hero == "#3a86ff" && s.Cast.Hero.Noun == "duck" }},
		{"darker", func(s spec.Spec) bool { return s.Look.Mood == "dark" }},
		{"neon colors", func(s spec.Spec) bool { return s.Look.Mood == "neon" || s.Theme == "neon" }},
		{"change the duck to a cat", func(s spec.Spec) bool { return s.Cast.Hero.Noun == "cat" && s.Cast.Pickup.Noun == "apple" }},
		{"make the hero a robot", func(s spec.Spec) bool { return s.Cast.Hero.Noun == "robot" }},
		{"replace the apples with stars", func(s spec.Spec) bool { return s.Cast.Pickup.Noun == "star" && strings.Contains(s.Text.HowTo, "stars") }},
		{"use bombs instead of rocks", func(s spec.Spec) bool { return s.Cast.Hazard.Noun == "bomb" }},
		{"set it in space", func(s spec.Spec) bool { return s.Theme == "space" && s.Cast.Hero.Noun == "duck" }},
		{"make it like flappy bird", func(s spec.Spec) bool { return s.Cast.Hero.Noun == "duck" && s.Mechanic == "gap" }},
		{"turn it into a stacking game", func(s spec.Spec) bool {
			return s.Mechanic == "stack" && s.Cast.Hero.Noun == "duck" && s.Theme == "farm"
		}},
		{"make it play like whack a mole instead", func(s spec.Spec) bool { return s.Mechanic == "whack" && s.Cast.Hero.Noun == "duck" }},
	} {
		before := duckGame()
		out := Apply(before, c.request, nil)
		if !c.check(out.Spec) {
			t.Errorf("%q: did %q, unmet %q: %s in %s, cast %+v, look %+v", c.request, out.Did, out.Unmet, out.Spec.Mechanic, out.Spec.Theme, out.Spec.Cast, out.Spec.Look)
		}
		if out.Spec.Play != before.Play || out.Spec.Title != before.Title || out.Spec.Seed != before.Seed {
			t.Errorf("%q changed play or title", c.request)
		}
		if err := out.Spec.Check(); err != nil {
			t.Errorf("%q: %v", c.request, err)
		}
	}
}

func TestWhatCanNotBeDoneIsUnmetAndChangesNothing(t *testing.T) {
	for _, request := range []string{"add multiplayer over the internet", "undo", "bigger text", "add music", "asdf ghjk"} {
		before := duckGame()
		out := Apply(before, request, nil)
		if len(out.Did) != 0 || len(touched(before, out.Spec)) != 0 {
			t.Errorf("%q: did %q", request, out.Did)
		}
		if len(out.Unmet) == 0 {
			t.Errorf("%q: nothing is unmet", request)
		}
	}
}

func TestOneRequestMayBeHalfMet(t *testing.T) {
	out := Apply(duckGame(), "Make it faster and add an online leaderboard.", nil)
	if len(out.Did) != 1 || len(out.Unmet) != 1 || !strings.Contains(out.Unmet[0], "leaderboard") {
		t.Errorf("did %q, unmet %q", out.Did, out.Unmet)
	}
}

func TestTunablesStopAtTheirBounds(t *testing.T) {
	s := duckGame()
	for range 12 {
		s = Apply(s, "much faster, more lives, many more obstacles", nil).Spec
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for request, reason := range map[string]string{
		"much faster": "speed is at its most already (2)", "add lives": "there are 5 lives already", "more obstacles": "density is at its most already",
	} {
		out := Apply(s, request, nil)
		if len(out.Did) != 0 || len(out.Unmet) != 1 || !strings.Contains(out.Unmet[0], reason) || !out.AtBounds {
			t.Errorf("at the bound, %q: did %q, unmet %q", request, out.Did, out.Unmet)
		}
	}
}

func TestNoWishOfALongRequestIsDroppedInSilence(t *testing.T) {
	request := strings.Repeat("It is nice as it is and I like it. ", 100/2-1) + "5 lives. "
	if out := Apply(duckGame(), strings.Repeat("Very nice\n", 60)+strings.Repeat("x", 3000)+". 5 lives", nil); out.Spec.Play.Lives != 5 {
		t.Errorf("the last of 62 wishes is not done: %+v", out)
	}
	out := Apply(duckGame(), strings.Repeat(request, 2), nil)
	if !strings.Contains(strings.Join(out.Unmet, "\n"), "the last 98 wishes: 100 can be carried out at once") {
		t.Errorf("unmet %q", out.Unmet)
	}
}

func TestThanksAskForNothing(t *testing.T) {
	for _, request := range []string{"thanks, great!", "Danke, super geworden!", "¡Muchas gracias, me encanta!", "Merci beaucoup, c'est parfait", "wow"} {
		if out := Apply(duckGame(), request, nil); len(out.Did)+len(out.Unmet) > 0 {
			t.Errorf("%q: did %q, unmet %q", request, out.Did, out.Unmet)
		}
	}
	for _, request := range []string{"thanks, and the shop", "mehr Punkte", "🎮🎮", "so it was", "great, but why is it like that"} {
		if out := Apply(duckGame(), request, nil); len(out.Did) > 0 || len(out.Unmet) == 0 {
			t.Errorf("%q: did %q, unmet %q", request, out.Did, out.Unmet)
		}
	}
}

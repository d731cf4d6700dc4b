package brief

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/look"
)

func TestWordsOfTheBriefChooseMechanicThemeAndCast(t *testing.T) {
	for _, c := range []struct{ text, mechanic, theme, hero, hazard, pickup string }{
		{"A flappy bird game with a bee in the garden", "gap", "farm", "bee", "", ""},
		{"A dinosaur runs through the desert and jumps over cactuses", "hop", "desert", "dinosaur", "cactus", ""},
		{"A red taxi dodges traffic on the highway collecting coins", "lane", "city", "taxi", "truck", "coin"},
		{"Stack candy blocks into a tower", "stack", "candy", "", "", "candy"},
		{"An astronaut orbits a planet collecting stars", "orbit", "space", "astronaut", "asteroid", "star"},
		{"A hungry monkey catches falling bananas, not bombs", "catch", "jungle", "monkey", "bomb", "banana"},
		{"Whack the moles in the garden", "whack", "farm", "", "", "mole"},
		{"A robot shoots alien invaders in a neon city", "cannon", "neon", "robot", "alien", ""},
		{"A penguin on a zigzag path of ice", "zigzag", "winter", "penguin", "", ""},
		{"A witch catches candy on halloween night", "catch", "night", "witch", "", "candy"},
		{"Pop the balloons in the sky with a bee", "whack", "sky", "bee", "", "balloon"},
		{"Ein Hase springt im Wald", "hop", "forest", "rabbit", "", ""},
		{"Un poisson nage dans la mer et vole", "gap", "sea", "fish", "", ""},
		{"Un gato salta en la ciudad", "hop", "city", "cat", "", ""},
	} {
		r := Read(c.text)
		s := r.Write(Order{ProjectID: "p", Seed: 1})
		if s.Mechanic != c.mechanic || s.Theme != c.theme {
			t.Errorf("%q: %s in %s, want %s in %s", c.text, s.Mechanic, s.Theme, c.mechanic, c.theme)
		}
		for _, who := range []struct{ role, got, want string }{
			{"hero", s.Cast.Hero.Noun, c.hero}, {"hazard", s.Cast.Hazard.Noun, c.hazard}, {"pickup", s.Cast.Pickup.Noun, c.pickup},
		} {
			if who.want != "" && who.got != who.want {
				t.Errorf("%q: the %s is %q, want %q", c.text, who.role, who.got, who.want)
			}
		}
		if err := s.Check(); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestNumbersColoursMoodsAndAdjectivesAreRead(t *testing.T) {
	r := Read("A fast, dark game: a green frog with 5 lives, 30 seconds, pink background, called \"Frog Night\"")
	s := r.Write(Order{ProjectID: "p", Seed: 1})
	if s.Play.Lives != 5 || s.Play.Duration != 30 {
		t.Errorf("lives %d, duration %d", s.Play.Lives, s.Play.Duration)
	}
	if s.Play.Speed != 1.25 {
		t.Errorf("speed %v, want 1.25", s.Play.Speed)
	}
	if s.Look.Mood != "dark" || s.Look.Hero != colorWords["green"] || s.Look.Tint != colorWords["pink"] {
		t.Errorf("look %+v", s.Look)
	}
	if s.Title != "Frog Night" {
		t.Errorf("title %q", s.Title)
	}
}

func TestCompoundsAreWhatTheirLastPartIs(t *testing.T) {
	for word, noun := range map[string]string{
		"Goldmünzen": "coin", "Weltraumkatze": "cat", "Schneekatzen": "cat", "Sternenschiff": "", "starfish": "fish", "Wasserball": "",
		"Kartei": "", "scoreboard": "", "Kirschblüte": "", "carpet": "", "background": "",
	} {
		if got, _, _ := lookup(tokenize(word)[0]); got != noun {
			t.Errorf("%s is %q, want %q", word, got, noun)
		}
	}
}

func TestNegatedWordsChooseNothing(t *testing.T) {
	r := Read("A cat that hops. No bombs, no shooting.")
	if r.Hazard == "bomb" || r.Mechanics["cannon"] != 0 {
		t.Errorf("hazard %q, cannon %v", r.Hazard, r.Mechanics["cannon"])
	}
}

func TestWhatIsNotUnderstoodIsUnmet(t *testing.T) {
	for text, want := range map[string][]string{
		"A bird flies. With online multiplayer and an inventory.": {"online multiplayer", "inventory"},
		"xyzzy plugh":                     {"xyzzy plugh"},
		"A cat game with 99 lives":        {"99 lives"},
		"A cat game for five players":     {"five players"},
		"A cat catches 20 fish and jumps": {"20 fish"},
		"A bird that flies":               nil,
	} {
		if got := Read(text).Unmet; !slices.Equal(got, want) {
			t.Errorf("%q: unmet %q, want %q", text, got, want)
		}
	}
}

func TestNoiseMakesAGameAllTheSame(t *testing.T) {
	for _, text := range []string{
		"", "\x00\x01\xff", strings.Repeat("qwx ", 20_000), "<script>alert(1)</script>", "called \"<b>Zoom</b>\"",
		"../../etc/passwd", strings.Repeat("🎮", 9000), "'; drop table games; --",
	} {
		s := Read(text).Write(Order{ProjectID: "p", Seed: Seed("p", text)})
		if err := s.Check(); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestBackgroundFillsOnlyWhatTheBriefLeavesOpen(t *testing.T) {
	r := Read("A frog jumps").Under(Read("Always use the winter theme, a dark palette and a cat, xyzzy"))
	if r.Hero != "frog" || r.Theme != "winter" || r.Look.Mood != "dark" {
		t.Errorf("hero %q, theme %q, mood %q", r.Hero, r.Theme, r.Look.Mood)
	}
	if len(r.Unmet) != 0 {
		t.Errorf("unmet %q: the background has no wishes", r.Unmet)
	}
}

func TestEveryWordNamesSomethingThatExists(t *testing.T) {
	for lang := range spoken {
		if lang != anyLanguage && !slices.Contains(catalog.Languages(), lang) {
			t.Errorf("words are of the language %q, which does not exist", lang)
		}
	}
	for word := range foreignThemes {
		if theme, ok := themeOf(word, true); !ok || look.Themes[theme].BG == "" {
			t.Errorf("%q names the theme %q, which does not exist", word, theme)
		}
	}
	for word, noun := range foreignNouns {
		if _, ok := figures[noun]; !ok {
			t.Errorf("%q stands for %q, which is no figure", word, noun)
		}
	}
	for word, theme := range themeWords {
		if _, ok := look.Themes[theme]; !ok {
			t.Errorf("%q names the theme %q, which does not exist", word, theme)
		}
	}
	for word, noun := range synonyms {
		if _, ok := figures[noun]; !ok {
			t.Errorf("%q stands for %q, which is no figure", word, noun)
		}
	}
	for name, theme := range look.Themes {
		for _, noun := range []string{theme.Hero, theme.Hazard, theme.Pickup} {
			if _, ok := figures[noun]; !ok {
				t.Errorf("theme %s has %q, which is no figure", name, noun)
			}
		}
	}
}

func TestEveryFigureCanBeDrawn(t *testing.T) {
	beings, things := painters(t, "art/beings.js"), painters(t, "art/things.js")
	scenery := painters(t, "art/scenery.js")
	// Features that the face painter knows, and those of no shape of their own.
	for _, f := range []string{"fangs", "oneeye"} {
		beings[f] = true
	}
	for noun, f := range figures {
		for _, name := range append([]string{f.body}, f.features...) {
			if name != "" && !beings[name] {
				t.Errorf("%s needs %q, which no painter draws", noun, name)
			}
		}
		for _, name := range []string{f.hazard, f.pickup} {
			if name != "" && !things[name] {
				t.Errorf("%s needs %q, which no painter draws", noun, name)
			}
		}
		if f.body == "" && f.hazard == "" && f.pickup == "" {
			t.Errorf("%s looks like nothing", noun)
		}
	}
	for name, theme := range look.Themes {
		for _, layer := range []string{theme.Scene.Far, theme.Scene.Near} {
			if !scenery[layer] {
				t.Errorf("theme %s needs the layer %q, which no painter draws", name, layer)
			}
		}
	}
}

// painters returns the names of the painters in a file of the kit.
func painters(t *testing.T, file string) map[string]bool {
	t.Helper()
	source, err := kit.Source(file)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+): \(`).FindAllStringSubmatch(string(source), -1) {
		names[m[1]] = true
	}
	return names
}

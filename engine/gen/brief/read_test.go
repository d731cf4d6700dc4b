package brief

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
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

func TestMechanicCastsWhomTheBriefDoesNotName(t *testing.T) {
	for text, want := range map[string][2]string{
		"space invaders": {"rocket", "alien"}, "pac-man with ghosts": {"chick", "ghost"}, "pac-man: a cat, avoid the dogs": {"cat", "dog"},
	} {
		cast := Read(text).Write(Order{ProjectID: "p", Seed: 1}).Cast
		if got := [2]string{cast.Hero.Noun, cast.Hazard.Noun}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
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
	if s.Look.Mood != "dark" || s.Look.Hero != lexicons["en"].means["colour"]["green"] || s.Look.Tint != lexicons["en"].means["colour"]["pink"] {
		t.Errorf("look %+v", s.Look)
	}
	if s.Title != "Frog Night" {
		t.Errorf("title %q", s.Title)
	}
}

func TestCompoundsAreWhatTheirLastPartIs(t *testing.T) {
	for word, noun := range map[string]string{
		"Goldmünzen": "coin", "Weltraumkatze": "cat", "Schneekatzen": "cat", "Sternenschiff": "ship", "starfish": "fish", "Wasserball": "",
		"Kartei": "", "scoreboard": "", "Kirschblüte": "", "carpet": "", "background": "",
	} {
		tokens := tokenize(word)
		_, words := language(tokens)
		if got, _, _ := words.lookup(tokens[0]); got != noun {
			t.Errorf("%s is %q, want %q", word, got, noun)
		}
	}
}

func TestWordsOfOtherLanguagesAreNoWords(t *testing.T) {
	for text, none := range map[string]string{
		"A chat about the weather with a pastel background": "cat", "I want a game in pastel colours": "cake", "Come on, the cane is a sin": "dog",
		"A tire rolls over the pont": "", "An auto battle of the mare": "car", "A game for my son": "kid", "A piece of the puzzle": "coin",
		"Un facteur évite les chiens méchants": "bug",
	} {
		if r := Read(text); slices.Contains(r.Nouns, none) || r.Rules.Sound != Unnamed {
			t.Errorf("%q has %v, sound %v", text, r.Nouns, r.Rules.Sound)
		}
	}
	for text, noun := range map[string]string{
		"Un chat saute dans la ville": "cat", "Un juego con un pastel que salta": "cake", "Katze fängt Mäuse": "cat", "gato volador": "cat", "A cat": "cat",
		"Ein Spiel mit einem robot": "robot", "Ein Ritter gegen das Gift": "poison",
	} {
		if r := Read(text); !slices.Contains(r.Nouns, noun) {
			t.Errorf("%q has %v, not %s", text, r.Nouns, noun)
		}
	}
}

func TestTheBossIsWhoItIsSaidToBe(t *testing.T) {
	for text, want := range map[string][2]string{
		"A knight in a castle with a red dragon boss":         {"dragon", "red"},
		"A knight jumps. The boss is a giant spider":          {"spider", ""},
		"A cat hops, boss: giant spider":                      {"spider", ""},
		"A cat hops, with a green dragon as the final boss":   {"dragon", "green"},
		"A cat hops and fights a boss at the end":             {"", ""},
		"A cat with a boss. A dog barks":                      {"", ""},
		"Fight the boss as a knight":                          {"", ""},
		"boss a red dragon":                                   {"dragon", "red"},
		"make the boss blue":                                  {"", "blue"},
		"Ein Ritter springt, mit einem Drachen als Endgegner": {"dragon", ""},
		"Ein Ritter springt, am Ende ein Drachenboss":         {"dragon", ""},
		"Un chevalier saute, le boss est un dragon rouge":     {"dragon", "rouge"},
		"Un gato salta, el jefe es un dragon rojo":            {"dragon", "rojo"},
	} {
		r := Read(text)
		color := r.words.means["colour"][want[1]]
		if r.Boss != want[0] || r.Look.Boss != color || r.Look.Tint != "" || r.Hero == "dragon" || r.Hazard == "dragon" {
			t.Errorf("%q: boss %q, look %+v, hero %q, hazard %q", text, r.Boss, r.Look, r.Hero, r.Hazard)
		}
		if r.Rules.Boss != Wanted {
			t.Errorf("%q asks for no boss", text)
		}
	}
	s := Read("A knight in a castle with a red dragon boss").Write(Order{ProjectID: "p", Seed: 1})
	if b := s.Cast.Boss; b == nil || b.Body != "dragon" || b.Color != lexicons["en"].means["colour"]["red"] || s.Check() != nil {
		t.Errorf("the boss is %+v, %v", b, s.Check())
	}
}

func TestASpiderIsAHeroOnlyWhenAlone(t *testing.T) {
	for text, want := range map[string][2]string{
		"A spider that climbs a wall": {"spider", ""}, "Spiders chase a mouse in a maze": {"mouse", "spider"}, "Hop over spiders": {"", "spider"},
		"A ship shoots aliens": {"spaceship", "alien"}, "A pirate ship on the sea avoiding rocks": {"pirate", "rock"}, "A ship on the sea": {"ship", ""},
	} {
		if r := Read(text); r.Hero != want[0] || r.Hazard != want[1] {
			t.Errorf("%q: hero %q, hazard %q", text, r.Hero, r.Hazard)
		}
	}
}

func TestThoseAGameIsForAreNoFigures(t *testing.T) {
	for _, text := range []string{
		"A game for kids where a fox catches apples", "A fox catches apples, for my 5 year old son", "Kids game: a fox catches apples",
		"A fox catches apples, for children and for my daughter's class", "Ein Fuchs fängt Äpfel, für Kinder", "Un renard attrape des pommes, pour mon fils",
	} {
		r := Read(text)
		if slices.Contains(r.Nouns, "kid") || r.Hero != "fox" || r.Pickup != "apple" || len(r.Unmet) > 0 {
			t.Errorf("%q: %v, unmet %q", text, r.Nouns, r.Unmet)
		}
	}
	if r := Read("A kid on a skateboard jumps over rocks"); r.Hero != "kid" {
		t.Errorf("the hero is %q", r.Hero)
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
		"../../etc/passwd", strings.Repeat("🎮", 9000), "'; drop table games; --", strings.Repeat("a", MaxText),
	} {
		s := Read(text).Write(Order{ProjectID: "p", Seed: Seed("p", text)})
		if err := s.Check(); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestLongBriefIsReadToItsEnd(t *testing.T) {
	end := "A frog jumps over logs in the winter"
	text := strings.Repeat("And so on. ", (api.MaxPrompt-len(end))/11) + end
	if r := Read(text); r.Hero != "frog" || r.Theme != "winter" || len(r.Mechanics) == 0 {
		t.Errorf("hero %q, theme %q, mechanics %v", r.Hero, r.Theme, r.Mechanics)
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
	for lang, l := range dictionaries {
		for word, theme := range l.means["theme"] {
			if _, ok := look.Themes[theme]; !ok {
				t.Errorf("%s: %q names the theme %q, which does not exist", lang, word, theme)
			}
		}
		for word, noun := range l.means["noun"] {
			if _, ok := figures[noun]; !ok {
				t.Errorf("%s: %q stands for %q, which is no figure", lang, word, noun)
			}
		}
		for word, mood := range l.means["mood"] {
			if !slices.Contains(look.Moods, mood) {
				t.Errorf("%s: %q stands for the mood %q, which does not exist", lang, word, mood)
			}
		}
		for word := range l.means["play"] {
			for _, n := range l.nudges(word) {
				if !slices.Contains([]string{"speed", "gravity", "density", "size", "ramp"}, n.field) || n.by <= 0 {
					t.Errorf("%s: %q sets %q by %v", lang, word, n.field, n.by)
				}
			}
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
	beings := painters(t, "art/beings.js", "art/animals.js", "art/birds.js", "art/creatures.js", "art/people.js",
		"art/visitors.js", "art/vehicles.js")
	things, scenery := painters(t, "art/things.js", "art/treats.js"), painters(t, "art/scenery.js", "art/landmarks.js")
	// Features that the face painter knows, and those of no shape of their own.
	for _, f := range []string{"fangs", "oneeye", "notail"} {
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
	for _, place := range landmarks {
		if !scenery[place] {
			t.Errorf("the place %q is drawn by no painter", place)
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

// painters returns the names of the painters in files of the kit.
func painters(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		source, err := kit.Source(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+): (?:\(|vehicles\.)`).FindAllStringSubmatch(string(source), -1) {
			names[m[1]] = true
		}
	}
	return names
}

func TestOneEnglishWordIsEnglish(t *testing.T) {
	for _, text := range []string{"dragon", "dragons", "robots", "lion", "pirate", "pirates", "ghosts", "cat"} {
		if r := Read(text); r.Lang != "en" {
			t.Errorf("%q is read as %s", text, r.Lang)
		}
	}
	for text, lang := range map[string]string{"Drache": "de", "zorro": "es", "grenouille": "fr"} {
		if r := Read(text); r.Lang != lang {
			t.Errorf("%q is read as %s, want %s", text, r.Lang, lang)
		}
	}
}

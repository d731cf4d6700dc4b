package brief

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/look"
)

func TestColourIsThatOfTheNounBesideIt(t *testing.T) {
	const red, green, blue = "#e63946", "#3fbf5f", "#3a86ff"
	for text, want := range map[string]painted{
		"A green frog eats red apples":                    {hero: green, pickup: red},
		"The snake is green and the apples should be red": {hero: green, pickup: red},
		"Ein grüner Frosch frisst rote Äpfel":             {hero: green, pickup: red},
		"Der Frosch ist grün, er frisst rote Äpfel":       {hero: green, pickup: red},
		"Una rana verde come manzanas rojas":              {hero: green, pickup: red},
		"La rana es verde y come manzanas rojas":          {hero: green, pickup: red},
		"Une grenouille verte mange des pommes rouges":    {hero: green, pickup: red},
		"A frog hops, everything blue":                    {tint: blue},
		"A frog hops with a red hat":                      {unmet: "red hat"},
		"Una rana con un sombrero rojo salta":             {unmet: "sombrero rojo"},
	} {
		r := Read(text)
		got := painted{hero: r.Look.Hero, pickup: r.Look.Pickup, tint: r.Look.Tint}
		if got.unmet = want.unmet; got != want || !strings.Contains(strings.Join(r.Unmet, "\n"), want.unmet) {
			t.Errorf("%q: %+v, unmet %q, want %+v", text, got, r.Unmet, want)
		}
	}
}

// painted are the colours that a text gives.
type painted struct{ hero, pickup, tint, unmet string }

func TestShadeOfAColourIsNoRuleAndNoMood(t *testing.T) {
	const blue = "#3a86ff"
	light, dark := look.Mix(blue, "#ffffff", shadeBy), look.Mix(blue, "#000000", shadeBy)
	for text, want := range map[string]string{
		"A light blue cat jumps": light, "A dark blue cat jumps": dark, "A bright blue cat jumps": blue, "Eine hellblaue Katze springt": light, "Eine dunkelblaue Katze springt": dark,
		"Un gato azul claro salta": light, "Un gato azul oscuro salta": dark, "Un chat bleu clair saute": light, "Un chat bleu foncé saute": dark,
	} {
		r := Read(text)
		if r.Look.Hero != want || r.Look.Mood != "" || len(r.Factors) > 0 || len(r.Unmet) > 0 {
			t.Errorf("%q: %+v, %v, unmet %q, want the hero in %s", text, r.Look, r.Factors, r.Unmet, want)
		}
	}
}

func TestPastelIsAPaletteInFourLanguages(t *testing.T) {
	for _, text := range []string{"A cat jumps, pastel colours", "Eine Katze springt, in Pastellfarben", "Eine Katze springt, alles in Pastell", "Un gato salta, colores pastel", "Un gato salta en tonos pastel", "Un chat saute, couleurs pastel"} {
		if r := Read(text); r.Look.Mood != "pastel" || slices.Contains(r.Nouns, "cake") || len(r.Unmet) > 0 {
			t.Errorf("%q: mood %q, nouns %v, unmet %q", text, r.Look.Mood, r.Nouns, r.Unmet)
		}
	}
}

func TestWhoPlaysFasterMakesNoFasterGame(t *testing.T) {
	for text, fast := range map[string]bool{
		"A cat jumps, whoever is faster wins": false, "Eine Katze springt, wer schneller ist, gewinnt": false, "Un gato salta, gana el más rápido": false, "Un chat saute, le plus rapide gagne": false,
		"A cat that is faster than a dog jumps": false, "A fast game, a cat jumps": true, "Ein schnelles Spiel, eine Katze springt": true,
	} {
		if r := Read(text); (r.Factors["speed"] > 1) != fast {
			t.Errorf("%q: %v", text, r.Factors)
		}
	}
}

func TestFigureThatStandsForAnotherIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"An otter hops over logs": "otter: drawn as a seal", "Ein Zwerg springt über Steine": "Zwerg: drawn as an elf", "Una cabra salta sobre piedras": "cabra: drawn as a sheep", "Un cerf saute": "cerf: drawn as a reindeer",
		"A fox and a dog and a giraffe hop": "giraffe: it has no part in this game",
	} {
		if r := Read(text); !slices.Contains(r.Unmet, want) {
			t.Errorf("%q: unmet %q, want %q", text, r.Unmet, want)
		}
	}
	for lang, l := range dictionaries {
		for word, noun := range l.means["like"] {
			if _, ok := figures[noun]; !ok || l.means["noun"][word] != "" {
				t.Errorf("%s: %q is like %q, which is no figure, or a figure of its own", lang, word, noun)
			}
		}
	}
}

package brief

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/spec"
)

func TestAGameOfWordsTakesTheListOfItsTopic(t *testing.T) {
	for text, word := range map[string]string{
		"hangman with animals": "giraffe", "Galgenmännchen mit Tieren": "Igel", "ahorcado con nombres de países": "Grecia", "jeu du pendu avec des fruits": "myrtille",
		"typing game with planets": "Neptune",
	} {
		r := Read(text)
		if s := r.Write(Order{ProjectID: "p", Seed: 1}); !slices.Contains(s.Content, word) || len(r.Unmet) > 0 {
			t.Errorf("%q: %s with %q, unmet %q", text, s.Mechanic, s.Content, r.Unmet)
		}
	}
	if r := Read("hangman with these words: cat, dog, horse. Animals!"); !slices.Equal(r.Content.Words, []string{"cat", "dog", "horse"}) {
		t.Errorf("its own words are %q", r.Content.Words)
	}
}

func TestEveryTopicIsThereInEveryLanguage(t *testing.T) {
	for _, lang := range []string{"en", "de", "es", "fr"} {
		n := 0
		for name, list := range topics[lang] {
			n++
			if len(list) < 15 || len(list) > spec.MaxContent {
				t.Errorf("%s, %s: %d words", lang, name, len(list))
			}
		}
		if n < 6 {
			t.Errorf("%s has %d names of topics", lang, n)
		}
	}
}

package change

import (
	"testing"
)

// TestRemarkOnSomethingElseIsNoComplaint: that words of an axis are in it does not make a
// request one to move along it.
func TestRemarkOnSomethingElseIsNoComplaint(t *testing.T) {
	for _, request := range []string{
		"the score is hard to read", "the text is hard to see", "I like that it is hard", "not bad at all", "the colours are boring", "the title is boring",
		"die Farben sind langweilig", "die Schrift ist schwer zu lesen", "los colores son aburridos", "es difícil de leer", "les couleurs sont ennuyeuses", "le texte est difficile à lire",
		"a long title", "the fox has a long tail", "make the short wall red", "slow motion when hit", "the music is too fast", "I love how fast it is", "is it hard to make games?",
	} {
		s := duckGame()
		if out := Apply(s, request, nil); out.Spec.Play != s.Play {
			t.Errorf("%q: did %q", request, out.Did)
		}
	}
}

package brief

import (
	"iter"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
)

// How many letters a word has at the least that was mistyped: of shorter ones too many
// are one letter apart.
const (
	shortestSwapped = 4 // two letters in the wrong order
	shortestLacking = 6 // a letter too few or too many
)

// mostSlips bounds how many words of a text are looked at for slips.
const mostSlips = 200

// respell puts the words that were meant in place of those that nothing knows and that
// are a slip of the finger away from one: "gaem", "unicron", "ranbows".
func (r *Reading) respell(tokens []token) {
	tried := 0
	for i := range tokens {
		t := &tokens[i]
		if len(t.word) < shortestSwapped || len(t.word) > longestCompound || t.number != 0 || r.heard(t.word) || r.heard(t.singular) {
			continue
		}
		if tried++; tried > mostSlips {
			return
		}
		known := vocabularies[r.Lang]
		for meant, swapped := range slips(t.word) {
			if r.words.likeness(meant, singular(meant)) != "" {
				continue // "inventory" is no inventor
			}
			if n := max(known[meant], known[singular(meant)]); n == figureOrName || n == anyWord && (swapped || len(meant) > shortestLacking) {
				t.word, t.singular = meant, singular(meant)
				break
			}
		}
	}
}

// heard reports whether a word means anything in the text's languages, or is part of a
// phrase that does.
func (r *Reading) heard(word string) bool {
	_, hue := r.words.hue(word)
	return hue || vocabularies[r.Lang][word] > 0 || r.words.compound(word) != ""
}

// What a word of a vocabulary is.
const (
	anyWord      = 1
	figureOrName = 2 // of a kind of game
)

// vocabularies are the words that mean something in a text, by its language.
var vocabularies = func() map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, lang := range catalog.Languages() {
		words := map[string]int{}
		for _, set := range lexicons[lang].sets {
			for word := range set {
				words[word] = anyWord
			}
		}
		for word := range lexicons[lang].means["noun"] {
			words[word] = figureOrName
		}
		for noun := range figures {
			words[noun] = figureOrName
		}
		for _, read := range []string{lang, "en", anyLanguage} {
			addPhrases(words, read)
		}
		for name := range topics[lang] {
			words[name] = anyWord
		}
		out[lang] = words
	}
	return out
}()

// addPhrases adds the words that the catalog's phrases of a language are made of.
func addPhrases(words map[string]int, lang string) {
	add := func(phrase string, kind int) {
		parts := strings.Fields(phrase)
		for _, part := range parts {
			if len(parts) > 1 {
				kind = anyWord
			}
			words[part] = max(words[part], kind)
		}
	}
	for phrase, weights := range spoken[lang] {
		kind := anyWord
		if weights[heaviest(weights)] >= catalog.Named {
			kind = figureOrName
		}
		add(phrase, kind)
	}
	for phrase := range missing[lang] {
		add(phrase, figureOrName)
	}
	for _, m := range catalog.Mechanics {
		for _, p := range m.Params {
			for phrase := range p.Words[lang] {
				add(phrase, anyWord)
			}
			for _, phrase := range p.Before[lang] {
				add(phrase, anyWord)
			}
			for _, noun := range slices.Concat(p.Units[lang], p.Sized[lang]) {
				add(noun, anyWord)
			}
		}
	}
}

// slips yields the words that one slip makes of the one that was meant, and whether it is
// two letters in the wrong order.
func slips(word string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for i := 0; i+1 < len(word); i++ { // "gaem"
			if word[i] != word[i+1] && !yield(word[:i]+string([]byte{word[i+1], word[i]})+word[i+2:], true) {
				return
			}
		}
		for i := 1; i < len(word) && len(word) > shortestLacking; i++ { // "dragoon"
			if !yield(word[:i]+word[i+1:], false) {
				return
			}
		}
		for i := 1; i <= len(word) && len(word) >= shortestLacking-1; i++ { // "ranbow"
			for c := byte('a'); c <= 'z'; c++ {
				if !yield(word[:i]+string([]byte{c})+word[i:], false) {
					return
				}
			}
		}
	}
}

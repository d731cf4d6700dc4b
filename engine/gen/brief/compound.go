package brief

import "strings"

// How many letters the parts of a compound have at the least: "ei" ends words
// that have nothing to do with eggs. What is longer than any word is none.
const (
	shortestFirst   = 3
	shortestLast    = 4
	longestCompound = 64
)

// compound returns the end of a word that is written together from words of the
// lexicon, "Goldmünzen" or "starfish": it is what the whole is a kind of. "" is
// returned where either part is unknown, and in Spanish and French, where "méchants" is
// no ant.
func (l *lexicon) compound(word string) string {
	for i := shortestFirst; l.joins && len(word) <= longestCompound && i <= len(word)-shortestLast; i++ {
		if kind := word[i:]; l.isNoun(kind) && l.speaks(word[:i]) {
			return kind
		}
	}
	return ""
}

// speaks reports whether the first part of a compound means something, with the
// letters that German joins parts by or without.
func (l *lexicon) speaks(part string) bool {
	for _, joint := range []string{"", "s", "n", "en"} {
		plain := strings.TrimSuffix(part, joint)
		if l.isNoun(plain) || l.means["colour"][plain] != "" || l.means["theme"][plain] != "" {
			return true
		}
	}
	return false
}

// split takes a word apart that is written together from a figure or a place and a
// kind of game, "Piratenabenteuer" or "Pferdespiel".
func (r *Reading) split(tokens []token) (out []token) {
	for _, t := range tokens {
		if at := r.kindIn(t); at > 0 {
			last := token{raw: t.word[at:], word: t.word[at:], singular: singular(t.word[at:])}
			t.word = t.word[:at]
			if len(t.raw) > at && folds.Replace(strings.ToLower(t.raw[:at])) == t.word {
				t.raw = t.raw[:at]
			}
			t.singular = singular(t.word)
			out = append(out, t)
			t = last
		}
		out = append(out, t)
	}
	return out
}

// kindIn returns where the kind of game begins in a compound, 0 for any other word.
func (r *Reading) kindIn(t token) int {
	if r.Lang != "de" || len(t.word) > longestCompound || r.heard(t.word) {
		return 0
	}
	for i := shortestFirst; i <= len(t.word)-shortestLast; i++ {
		if last := t.word[i:]; (last == "spiel" || names(last, r.Lang) || names(last, anyLanguage)) && r.words.speaks(t.word[:i]) {
			return i
		}
	}
	return 0
}

// theme returns the place that a word names, alone or as a part of it:
// "Herbstwald", "Weltraumspiel".
func (l *lexicon) theme(t token) (string, bool) {
	places := l.means["theme"]
	for _, theme := range []string{places[t.word], places[t.singular], l.means["weak"][t.word]} {
		if theme != "" {
			return theme, true
		}
	}
	for i := shortestFirst; i <= len(t.word)-shortestFirst; i++ {
		first, last := t.word[:i], t.word[i:]
		switch {
		case places[last] != "" && len(last) >= shortestLast && l.is("compound first", first):
			return places[last], true
		case places[first] != "" && l.is("compound last", last):
			return places[first], true
		}
	}
	return "", false
}

func (l *lexicon) isNoun(word string) bool {
	_, _, ok := l.figureOf(word, singular(word))
	return ok
}

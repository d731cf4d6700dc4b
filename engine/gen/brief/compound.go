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
// returned where either part is unknown.
func (l *lexicon) compound(word string) string {
	for i := shortestFirst; len(word) <= longestCompound && i <= len(word)-shortestLast; i++ {
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

func (l *lexicon) isNoun(word string) bool {
	_, _, ok := l.figureOf(word, singular(word))
	return ok
}

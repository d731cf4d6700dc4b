package brief

import "github.com/svc-games/svc/engine/gen/catalog"

// evidence is what speaks for a language, the strongest first: its short words,
// its other words without a meaning, and all words that it knows.
type evidence struct{ grammar, plain, known int }

func (e evidence) over(o evidence) bool {
	if e.grammar != o.grammar {
		return e.grammar > o.grammar
	}
	if e.plain != o.plain {
		return e.plain > o.plain
	}
	return e.known > o.known
}

// language is the one that most speaks for, and what words mean in it; English
// where no other has more. Words of other languages than a text's own and English
// are accidents: a chat is no cat.
func language(tokens []token) (lang string, l *lexicon) {
	found := map[string]evidence{}
	folded := false
	for _, lang := range everyLanguage {
		found[lang] = evidenceOf(lang, tokens)
	}
	for _, t := range tokens {
		folded = folded || t.folded
	}
	lang = most(found)
	// One word alone ("la", "in") may stand in any language.
	if n := found[lang].grammar; n == 1 && !folded && len(tokens) > 4 && found["en"].known >= found[lang].known {
		lang = "en"
	}
	if lang == "it" {
		return "en", lexicons[lang] // no game is written in it
	}
	return lang, lexicons[lang]
}

func evidenceOf(lang string, tokens []token) (e evidence) {
	own := dictionaries[lang]
	for i, t := range tokens {
		if t.folded && lang == "en" {
			continue // these are letters that it has not
		}
		if own.is("grammar", t.word) {
			e.grammar++
		}
		if own.is("plain", t.word) {
			e.plain++
		}
		phrase := spokenPhrase(lang, tokens[i:])
		if phrase > 0 && ownName(joined(tokens[i:i+phrase]), lang) {
			e.grammar++
		}
		_, _, figure := lexicons[lang].figureOf(t.word, t.singular)
		if phrase > 0 || own.knows(t.word) || lang == "en" && figure || lexicons[lang].compound(t.word) != "" {
			e.known += max(1, phrase)
		}
	}
	return e
}

// spokenPhrase is how many words the longest phrase has that a text begins with
// and that names a kind of game.
func spokenPhrase(lang string, tokens []token) int {
	for n := min(longestPhrase, len(tokens)); n >= 1; n-- {
		if names(joined(tokens[:n]), lang) {
			return n
		}
	}
	return 0
}

// ownName reports whether a phrase is the name of a kind of game in one language alone.
func ownName(phrase, lang string) bool {
	for _, other := range everyLanguage {
		if other != lang && names(phrase, other) {
			return false
		}
	}
	for _, weight := range spoken[lang][phrase] {
		if weight >= catalog.Named {
			return true
		}
	}
	return false
}

// most returns the language with most evidence, English where none has more.
func most(found map[string]evidence) string {
	lang := "en"
	for _, other := range everyLanguage {
		if found[other].over(found[lang]) {
			lang = other
		}
	}
	return lang
}

package brief

// language is the one most of whose short words a text uses. A text without any
// is of the language that knows most of its words, and of English when none
// knows more than it. Words of other languages than a text's own and English are
// accidents: a chat is no cat.
func language(tokens []token) (lang string, l *lexicon) {
	counts, known := map[string]int{}, map[string]int{}
	folded := false
	for i, t := range tokens {
		folded = folded || t.folded
		for _, lang := range everyLanguage {
			if t.folded && lang == "en" {
				continue
			}
			if dictionaries[lang].is("grammar", t.word) {
				counts[lang]++
			}
			if dictionaries[lang].knows(t.word) || lexicons[lang].compound(t.word) != "" {
				known[lang]++
			}
			for n := min(longestPhrase, len(tokens)-i); n >= 1; n-- {
				if names(joined(tokens[i:i+n]), lang) {
					known[lang] += n
					break
				}
			}
		}
	}
	lang = most(counts)
	// One word alone ("la", "in") may stand in any language.
	if counts[lang] < 2 && lang != "en" && !folded && len(tokens) > 4 {
		lang = "en"
	}
	if lang == "en" && counts["en"] == 0 {
		lang = most(known)
	}
	if lang == "it" {
		return "en", lexicons[lang] // no game is written in it
	}
	return lang, lexicons[lang]
}

// most returns the language that counts most, English where none counts more.
func most(counts map[string]int) string {
	lang := "en"
	for _, other := range everyLanguage {
		if counts[other] > counts[lang] {
			lang = other
		}
	}
	return lang
}

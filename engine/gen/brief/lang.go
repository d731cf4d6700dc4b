package brief

// stopWords are short words that tell the languages apart.
var stopWords = map[string]map[string]bool{
	"de": set("ein", "eine", "einen", "einem", "einer", "der", "die", "das", "den", "dem", "und", "mit", "im", "ist", "auf", "durch", "ueber", "spiel", "bitte", "mach", "mache", "nicht", "kein", "keine", "fuer", "wird", "soll", "sie", "er", "von", "zu", "am", "ins", "wo"),
	"es": set("el", "la", "los", "las", "un", "una", "unos", "del", "que", "con", "por", "para", "juego", "en", "y", "sin", "su", "haz", "debe", "muy", "mas", "al", "quiero"),
	"fr": set("le", "la", "les", "un", "une", "des", "du", "dans", "avec", "qui", "et", "sur", "pour", "jeu", "est", "sans", "au", "aux", "en", "fais", "moi", "son", "sa", "ses", "il", "elle", "des", "trop", "plus"),
	"en": set("the", "a", "an", "and", "with", "of", "that", "is", "are", "to", "in", "on", "for", "it", "its", "game", "make", "who", "where", "you", "from", "over", "not", "no", "by"),
}

// language is the one most of whose short words a text uses; English when none
// has more than it. foreign is false for a text that is clearly English: there,
// words of other languages are accidents.
func language(tokens []token) (lang string, foreign bool) {
	counts := map[string]int{}
	folded := false
	for _, t := range tokens {
		folded = folded || t.folded
		for lang, words := range stopWords {
			if words[t.word] {
				counts[lang]++
			}
		}
	}
	named(tokens, counts)
	lang = "en"
	for _, other := range []string{"de", "es", "fr"} {
		if counts[other] > counts[lang] {
			lang = other
		}
	}
	// One word alone ("la", "in") may stand in any language.
	if counts[lang] < 2 && lang != "en" && !folded && len(tokens) > 4 {
		lang = "en"
	}
	return lang, lang != "en" || counts["en"] == 0
}

// named counts what the catalog has in one language alone: "Einmaleins" is
// German, though no short word says so.
func named(tokens []token, counts map[string]int) {
	for i := 0; i < len(tokens); i++ {
		for n := min(longestPhrase, len(tokens)-i); n >= 1; n-- {
			phrase, only, known := joined(tokens[i:i+n]), "", 0
			for lang, phrases := range spoken {
				if _, ok := phrases[phrase]; ok {
					only = lang
					known++
				}
			}
			if known == 0 {
				continue
			}
			if known == 1 && only != anyLanguage && only != "en" {
				counts[only] += 2 // surer than a short word
			}
			i += n - 1
			break
		}
	}
}

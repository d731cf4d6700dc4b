package brief

import (
	"strings"
	"unicode"
)

// scripts are those that tell a language that there is not, in the order in which
// they are looked for.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
}{
	{unicode.Hiragana, "Japanese"}, {unicode.Katakana, "Japanese"}, {unicode.Hangul, "Korean"}, {unicode.Han, "Chinese"}, {unicode.Cyrillic, "Russian"},
	{unicode.Arabic, "Arabic"}, {unicode.Hebrew, "Hebrew"}, {unicode.Greek, "Greek"}, {unicode.Thai, "Thai"}, {unicode.Devanagari, "Hindi"},
}

// strangers are short words of languages that there are not.
var strangers = map[string]map[string]bool{
	"Italian":    listed("il che gioco di una con della gli nel per del raccoglie sono"),
	"Portuguese": listed("um uma jogo com que em os na do da no por voce pelo nao"),
	"Dutch":      listed("een het spel met van de op waarin naar zijn voor niet"),
	"Polish":     listed("gra w z na jest ktory ktora i do zbieraj nie gre sie przez"),
	"Swedish":    listed("ett och som spel pa med av inte genom"),
	"Turkish":    listed("bir oyun oyunu ile ve icin bu"),
	"Czech":      listed("hra hru kde ktera který přes sbira na jako"),
	"Romanian":   listed("joc care și cu pe din să nu peste"),
	"Finnish":    listed("peli jossa ja yli joka pelaaja hahmo"),
	"Danish":     listed("spil hvor og af ikke med gennem"),
	"Norwegian":  listed("spill hvor og av ikke med gjennom"),
	"Hungarian":  listed("egy jatek az hogy nem van amelyben amiben"),
}

func listed(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// stranger returns the language of a text that is in none of the catalog's, "" for
// all others and where it can't be told.
func stranger(text string, tokens []token, lang string) string {
	letters := 0
	counts := map[string]int{}
	for _, c := range text {
		if !unicode.IsLetter(c) {
			continue
		}
		letters++
		for _, s := range scripts {
			if unicode.Is(s.table, c) {
				counts[s.language]++
				break
			}
		}
	}
	if counts["Japanese"] > 0 { // which has Chinese characters too
		counts["Japanese"] += counts["Chinese"]
	}
	for language, n := range counts {
		if 2*n > letters {
			return language
		}
	}
	clear(counts)
	own, seen := 0, map[string]bool{}
	for _, t := range tokens {
		if dictionaries[lang].is("grammar", t.word) {
			own++
		}
		for language, words := range strangers {
			if words[t.word] && !seen[t.word] {
				counts[language]++
			}
		}
		seen[t.word] = true
	}
	best := ""
	for language, n := range counts {
		if n > counts[best] || n == counts[best] && language < best {
			best = language
		}
	}
	if counts[best] < 2 || counts[best] <= own {
		return ""
	}
	return best
}

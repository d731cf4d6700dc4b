package brief

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// words has a file for each language, and one for the figures. A line is
// "what: words that mean it".
//
//go:embed words
var words embed.FS

// everyLanguage are those that games are written in, and one whose words are read
// in all texts but English ones.
var everyLanguage = []string{"en", "de", "es", "fr", "it"}

// lexicon is what words mean in a text.
type lexicon struct {
	means map[string]map[string]string // a kind of meaning ("noun", "theme") to a word to its meaning
	sets  map[string]map[string]bool   // words that share a meaning ("verb avoid", "plain")
	joins bool                         // nouns are written together with what they are a kind of
}

// dictionaries are the lexicons of single languages, lexicons those of texts in
// a language.
var dictionaries, lexicons = func() (alone, whole map[string]*lexicon) {
	alone, whole = map[string]*lexicon{}, map[string]*lexicon{}
	for _, lang := range everyLanguage {
		alone[lang] = newLexicon(lang)
		for _, l := range readLines("words/" + lang + ".txt") {
			alone[lang].add(l[0], strings.Fields(l[1]))
		}
		alone[lang].addPlurals()
		alone[lang].addForms()
	}
	for _, lang := range everyLanguage {
		whole[lang] = newLexicon(lang)
		for _, read := range languagesOf(lang) {
			for what, set := range alone[read].sets {
				for word := range set {
					whole[lang].add(what, []string{word})
				}
			}
		}
	}
	return alone, whole
}()

func newLexicon(lang string) *lexicon {
	return &lexicon{means: map[string]map[string]string{}, sets: map[string]map[string]bool{}, joins: lang == "en" || lang == "de"}
}

// languagesOf returns the languages whose words count in a text, its own first.
func languagesOf(lang string) []string {
	if lang == "en" {
		return []string{"en"}
	}
	return []string{lang, "en", "it"}
}

// add takes in words of a meaning. What a word already means stays.
func (l *lexicon) add(what string, list []string) {
	kind, meaning, _ := strings.Cut(what, " ")
	if l.sets[what] == nil {
		l.sets[what] = map[string]bool{}
	}
	if l.means[kind] == nil {
		l.means[kind] = map[string]string{}
	}
	for _, w := range list {
		l.sets[what][w] = true
		if _, ok := l.means[kind][w]; !ok {
			l.means[kind][w] = meaning
		}
	}
}

// addPlurals takes in the plurals of nouns by a language's endings, where they mean
// nothing else.
func (l *lexicon) addPlurals() {
	for _, kind := range []string{"noun", "like"} {
		for _, word := range slices.Sorted(maps.Keys(l.means[kind])) {
			for ending := range l.sets["plural"] {
				if many := word + ending; len(word) > 3 && !l.knows(many) {
					l.add(kind+" "+l.means[kind][word], []string{many})
				}
			}
		}
	}
}

// inflected are the kinds of meaning whose words are adjectives.
var inflected = []string{"colour", "mood", "play", "size"}

// addForms takes in the forms of adjectives by a language's endings, where they mean
// nothing else.
func (l *lexicon) addForms() {
	endings := slices.Sorted(maps.Keys(l.sets["adjective"]))
	delete(l.sets, "adjective")
	for _, kind := range inflected {
		for _, word := range slices.Sorted(maps.Keys(l.means[kind])) {
			for _, ending := range endings {
				if form := word + ending; len(word) > 2 && !l.knows(form) {
					l.add(kind+" "+l.means[kind][word], []string{form})
				}
			}
		}
	}
}

// is reports whether a word has a meaning, such as "verb avoid" or "plain".
func (l *lexicon) is(what, word string) bool { return l.sets[what][word] }

// knows reports whether a word means anything.
func (l *lexicon) knows(word string) bool {
	for _, set := range l.sets {
		if set[word] {
			return true
		}
	}
	return false
}

// nudge changes one tunable by a factor.
type nudge struct {
	field string // speed, gravity, density, size, ramp
	by    float64
}

// nudges returns how a word says that a game plays.
func (l *lexicon) nudges(word string) []nudge {
	var out []nudge
	fields := strings.Fields(l.means["play"][word])
	for i := 0; i+1 < len(fields); i += 2 {
		out = append(out, nudge{fields[i], number(fields[i+1])})
	}
	return out
}

// readLines splits a file of words into its lines, and those at the colon.
func readLines(name string) [][2]string {
	data, err := words.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	var out [][2]string
	for line := range strings.Lines(string(data)) {
		what, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && !strings.HasPrefix(line, "#") {
			out = append(out, [2]string{what, list})
		}
	}
	return out
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("number %q in a file of words: %v", text, err))
	}
	return n
}

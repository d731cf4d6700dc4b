// Package skills finds, among the skills of a project, those that are like a
// request. It ranks by BM25 over what each says of itself: its title, the kind
// of request it solves and its mechanics.
package skills

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/svc-games/svc/api"
)

// Parameters of BM25, as Robertson and Zaragoza recommend them.
const (
	k1 = 1.2
	b  = 0.75
)

// minScore is what a skill must have: below, a common word or two is all that
// it shares with the request.
const minScore = 1

// Rank returns those of the skills that are like a request, the most alike
// first, at most n. A skill for another engine than the named one is left out;
// one that names none is for all. Equal scores go by key.
func Rank(request, engine string, list []api.Skill, n int) []api.Skill {
	docs := make([]document, 0, len(list))
	total := 0
	df := make(map[string]int)
	for _, skill := range list {
		if skill.Engine != "" && engine != "" && skill.Engine != engine {
			continue
		}
		d := read(skill)
		for word := range d.counts {
			df[word]++
		}
		total += d.length
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil
	}
	average := float64(total) / float64(len(docs))
	asked := make(map[string]bool)
	for _, word := range words(request) {
		asked[word] = true
	}
	type ranked struct {
		skill api.Skill
		score float64
	}
	var found []ranked
	for _, d := range docs {
		score := 0.0
		for word := range asked {
			score += d.score(word, df[word], len(docs), average)
		}
		if score >= minScore {
			found = append(found, ranked{d.skill, score})
		}
	}
	slices.SortFunc(found, func(x, y ranked) int {
		return cmp.Or(-cmp.Compare(x.score, y.score), cmp.Compare(x.skill.Key, y.skill.Key))
	})
	out := make([]api.Skill, 0, min(n, len(found)))
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.skill)
	}
	return out
}

// document is a skill as words.
type document struct {
	skill  api.Skill
	counts map[string]int
	length int
}

// read takes a skill's words. Mechanics are chosen tags, and count
// twice.
func read(skill api.Skill) document {
	d := document{skill: skill, counts: make(map[string]int)}
	tags := strings.Join(skill.Mechanics, " ")
	for _, word := range words(skill.Title + " " + skill.Prompt + " " + tags + " " + tags) {
		d.counts[word]++
		d.length++
	}
	return d
}

// score is a word's part in the similarity: rarer words tell more, and more of
// the same tells less. The logarithm never falls below 1, since a project has
// few skills and a word that all of them share still says what they are about.
func (d document) score(word string, df, docs int, average float64) float64 {
	tf := float64(d.counts[word])
	if tf == 0 {
		return 0
	}
	idf := math.Log(math.E + (float64(docs-df)+0.5)/(float64(df)+0.5))
	return idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(d.length)/average))
}

// common are words that say nothing of a game.
var common = map[string]bool{
	"a": true, "an": true, "and": true, "at": true, "by": true, "for": true, "from": true, "game": true, "games": true, "in": true,
	"into": true, "is": true, "it": true, "make": true, "me": true, "my": true, "of": true, "on": true, "or": true, "over": true, "please": true,
	"some": true, "that": true, "the": true, "this": true, "to": true, "want": true, "where": true, "which": true, "with": true, "you": true,
}

// words splits a text into lower-case words without their usual endings.
func words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	out := fields[:0]
	for _, word := range fields {
		if common[word] || len(word) < 2 {
			continue
		}
		out = append(out, stem(word))
	}
	return out
}

// stem takes the endings off that English words of a brief mostly have: jumps,
// jumping, jumped and jumper are one.
func stem(word string) string {
	for _, ending := range []string{"ing", "ers", "ies", "ed", "er", "es", "s"} {
		if root, ok := strings.CutSuffix(word, ending); ok && len(root) >= 3 {
			if n := len(root); root[n-1] == root[n-2] && n > 3 {
				root = root[:n-1] // running, runner
			}
			return root
		}
	}
	return word
}

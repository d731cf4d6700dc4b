package audit

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// pattern is a regular expression that is tried only on a text with one of the
// words that each of its matches has. Most texts have none, and looking for a word
// takes a hundredth of the time.
type pattern struct {
	expr  *regexp.Regexp
	words []string // none: it is tried on every text
}

func newPattern(expr string) pattern {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return pattern{regexp.MustCompile(expr), wordsOf(parsed)}
}

// may tells whether a text can match.
func (p pattern) may(text string) bool {
	return len(p.words) == 0 || slices.ContainsFunc(p.words, func(word string) bool { return strings.Contains(text, word) })
}

func (p pattern) find(text string) string {
	if !p.may(text) {
		return ""
	}
	return p.expr.FindString(text)
}

func (p pattern) in(text string) bool { return p.may(text) && p.expr.MatchString(text) }

func (p pattern) replace(text, with string) string {
	if !p.may(text) {
		return text
	}
	return p.expr.ReplaceAllString(text, with)
}

// wordsOf returns words of which each match of an expression has one; none when
// there is nothing that all matches have.
func wordsOf(e *syntax.Regexp) []string {
	switch e.Op {
	case syntax.OpLiteral:
		cased := func(r rune) bool { return unicode.SimpleFold(r) != r }
		if e.Flags&syntax.FoldCase != 0 && slices.ContainsFunc(e.Rune, cased) {
			return nil
		}
		return []string{string(e.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(e.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range e.Sub {
			words := wordsOf(sub)
			if len(words) == 0 {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range e.Sub {
			if words := wordsOf(sub); len(words) > 0 && (best == nil || shortest(words) >= shortest(best)) {
				best = words
			}
		}
		return best
	}
	return nil
}

func shortest(words []string) int {
	return len(slices.MinFunc(words, func(a, b string) int { return len(a) - len(b) }))
}

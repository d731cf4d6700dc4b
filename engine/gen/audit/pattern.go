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
	expr   *regexp.Regexp
	words  []string // none: it is tried on every text
	folded bool     // the words are in small letters, and stand for capitals too
}

func newPattern(expr string) pattern {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	p := pattern{expr: regexp.MustCompile(expr), words: wordsOf(parsed)}
	p.folded = parsed.Flags&syntax.FoldCase != 0 || folds(parsed)
	for i, word := range p.words {
		if p.folded {
			p.words[i] = strings.ToLower(word)
		}
	}
	return p
}

// folds reports whether capitals and small letters are the same anywhere in an
// expression.
func folds(e *syntax.Regexp) bool {
	return e.Op == syntax.OpLiteral && e.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(e.Sub, folds)
}

// fold makes all that (?i) takes for the same letter of ASCII the same.
var fold = strings.NewReplacer("\u017f", "s", "\u212a", "k")

// may tells whether a text can match.
func (p pattern) may(text string) bool {
	if p.folded && len(p.words) > 0 {
		text = strings.ToLower(text)
		if strings.ContainsAny(text, "\u017f\u212a") {
			text = fold.Replace(text)
		}
	}
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
		foreign := func(r rune) bool { return r > unicode.MaxASCII }
		if e.Flags&syntax.FoldCase != 0 && slices.ContainsFunc(e.Rune, foreign) {
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

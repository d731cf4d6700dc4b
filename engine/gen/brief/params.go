package brief

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/svc-games/svc/engine/gen/catalog"
)

// longestPhrase is how many words a phrase of the catalog has at the most.
const longestPhrase = 4

// Params returns what the text says of a mechanic's own tunables, within their
// bounds. The words that say so count as understood.
func (r *Reading) Params(mechanic string) map[string]float64 {
	out := map[string]float64{}
	for name, p := range catalog.Mechanics[mechanic].Params {
		for i := range r.tokens {
			v, n := r.saidAt(p, i)
			_, found := out[name]
			counted := n > 0 && slices.ContainsFunc(r.tokens[i:i+n], token.isCount) // wins over words: "for beginners, 4x4"
			if denied := n > 0 && r.tokens[i].negated && r.tokens[i+n-1].number == 0; denied {
				r.understood(i, n) // "no subtraction" sets nothing
				continue
			}
			if n == 0 || found && !counted || p.Aim && !aimed(r.tokens, i) {
				continue
			}
			out[name] = min(max(v, p.Min), p.Max)
			r.understood(i, n)
			r.because(joined(r.tokens[i:i+n]), "the "+name)
			if v != out[name] {
				r.beyond(r.tokens[i:i+n], v, out[name])
			}
			if counted {
				break
			}
		}
		if _, said := out[name]; !said {
			r.size(name, p, out)
		}
	}
	if len(r.Content.Tables) > 0 && catalog.Mechanics[mechanic].Content == tableContent {
		out["table"] = 0 // the list has them
	}
	return out
}

// isCount reports whether a word is a number in digits.
func (t token) isCount() bool { return unicode.IsDigit(rune(t.word[0])) }

// understood marks words that say something of a tunable.
func (r *Reading) understood(i, n int) {
	for j := range n {
		r.tokens[i+j].known, r.tokens[i+j].tuned = true, true
	}
}

// saidAt is said of the words from one on. A number of seconds or lives is none of a
// tunable's.
func (r *Reading) saidAt(p catalog.Param, i int) (v float64, words int) {
	v, words = said(p, r.tokens[i:], r.languages)
	if words == 0 {
		return 0, 0
	}
	last, next := r.tokens[i+words-1], i+words
	if words > 1 && last.number > 0 && next < len(r.tokens) && !r.tokens[next].startsClause {
		if counts := r.words.means["count"][r.tokens[next].singular]; counts != "" && counts != "points" {
			return 0, 0
		}
	}
	return v, words
}

// beyond notes a number that a tunable does not take, and the nearest that it does.
func (r *Reading) beyond(said []token, asked, taken float64) {
	raw := make([]string, len(said))
	for i, t := range said {
		raw[i] = t.raw
	}
	bound := "at most"
	if asked < taken {
		bound = "at least"
	}
	r.note(fmt.Sprintf("%s: %s %v here", strings.Join(raw, " "), bound, taken))
}

// size sets a tunable that makes something large or small where an adjective says which:
// "a really short paddle". A comparative says it of what is there.
func (r *Reading) size(name string, p catalog.Param, out map[string]float64) {
	for i := range r.tokens {
		if !r.isOneOf(p.Sized, r.tokens[i]) {
			continue
		}
		for _, j := range r.beside(i) {
			way := r.words.means["size"][r.tokens[j].word]
			if way == "" || j > 0 && r.words.is("verb more", r.tokens[j-1].word) {
				continue
			}
			for _, k := range []int{i, j} {
				r.tokens[k].known, r.tokens[k].tuned = true, true
			}
			out[name] = map[string]float64{"less": p.Min, "more": p.Max}[way]
			r.because(r.tokens[j].word+" "+r.tokens[i].word, "the "+name)
			return
		}
	}
}

// beside are the places of a noun's adjectives in its clause: before it and, in languages
// that have them there, behind it.
func (r *Reading) beside(i int) (out []int) {
	for j := i - 1; j >= max(0, i-2) && !r.tokens[j+1].startsClause; j-- {
		out = append(out, j)
	}
	for j := i + 1; r.behind() && j <= min(len(r.tokens)-1, i+2) && !r.tokens[j].startsClause; j++ {
		out = append(out, j)
	}
	return out
}

// Number is the number before what a tunable counts: 2 in "two columns more", 0 for none.
func (r *Reading) Number(p catalog.Param) float64 {
	p.Words = nil
	for i := range r.tokens {
		if v, n := said(p, r.tokens[i:], r.languages); n > 0 && (!p.Aim || aimed(r.tokens, i)) {
			return v
		}
	}
	return 0
}

// aims are the words of an end, which stand at most so many words from its number.
var aims = listed(`reach reaches win wins won goal target until ends end ziel erreich erreiche erreicht erreichen gewinnt gewinnen gewonnen bis schluss
	meta objetivo hasta gana ganar ganas llegar llegas but objectif gagne gagner atteindre atteint`)

const nearAim = 4

// aimed reports whether a word of an end is near a token.
func aimed(tokens []token, i int) bool {
	return slices.ContainsFunc(tokens[max(0, i-nearAim):min(len(tokens), i+2+nearAim)], func(t token) bool { return aims[t.word] })
}

// Names reports whether the text has one of some nouns, by language: those that a tunable
// counts, or that are larger by it.
func (r *Reading) Names(nouns map[string][]string) bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return r.isOneOf(nouns, t) })
}

func (r *Reading) isOneOf(nouns map[string][]string, t token) bool {
	return slices.ContainsFunc(r.languages, func(lang string) bool {
		return slices.Contains(nouns[lang], t.word) || slices.Contains(nouns[lang], t.singular)
	})
}

// said returns the value that a text begins with, and how many words say it; 0 for
// none.
func said(p catalog.Param, tokens []token, languages []string) (v float64, words int) {
	for n := min(longestPhrase, len(tokens)); n >= 1; n-- {
		phrase := joined(tokens[:n])
		for _, lang := range languages {
			if v, ok := p.Words[lang][phrase]; ok {
				return v, n
			}
		}
	}
	if n := before(p, tokens, languages); n > 0 {
		v = float64(tokens[n].number)
		if counts(p, tokens[n:], languages) {
			n++ // "up to 10 goals"
		}
		return v, n + 1
	}
	if counts(p, tokens, languages) {
		return float64(tokens[0].number), 2
	}
	return 0, 0
}

// counts reports whether a text begins with a number of what a tunable counts.
func counts(p catalog.Param, tokens []token, languages []string) bool {
	return len(tokens) > 1 && tokens[0].number > 0 && slices.ContainsFunc(languages, func(lang string) bool {
		return slices.Contains(p.Units[lang], tokens[1].word) || slices.Contains(p.Units[lang], tokens[1].singular)
	})
}

// before is how many words a text begins with that a number of a tunable stands behind;
// 0 for none.
func before(p catalog.Param, tokens []token, languages []string) int {
	for n := min(longestPhrase, len(tokens)-1); n >= 1; n-- {
		if tokens[n].number == 0 || tokens[n].startsClause {
			continue
		}
		phrase := joined(tokens[:n])
		if slices.ContainsFunc(languages, func(lang string) bool { return slices.Contains(p.Before[lang], phrase) }) {
			return n
		}
	}
	return 0
}

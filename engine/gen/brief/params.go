package brief

import (
	"slices"
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
			v, n := said(p, r.tokens[i:], r.languages)
			_, found := out[name]
			counted := unicode.IsDigit(rune(r.tokens[i].word[0])) // wins over words: "for beginners, 4x4"
			if n == 0 || found && !counted || p.Aim && !aimed(r.tokens, i) {
				continue
			}
			out[name] = min(max(v, p.Min), p.Max)
			for j := range n {
				r.tokens[i+j].known, r.tokens[i+j].tuned = true, true
			}
			r.because(joined(r.tokens[i:i+n]), "the "+name)
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
	if len(tokens) < 2 || tokens[0].number == 0 {
		return 0, 0
	}
	for _, lang := range languages {
		if units := p.Units[lang]; slices.Contains(units, tokens[1].word) || slices.Contains(units, tokens[1].singular) {
			return float64(tokens[0].number), 2
		}
	}
	return 0, 0
}

package brief

import (
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/look"
)

// readLook reads colours, moods and how a game plays. What set a tunable of the
// mechanic's own plays no other part.
func (r *Reading) readLook(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.negated || t.ofBoss || t.tuned || r.isShade(tokens, i) {
			continue
		}
		if color, ok := r.words.hue(t.word); ok {
			color = r.shaded(color, tokens, i)
			of, known := r.color(color, tokens, i)
			t.known = known
			if of != "" {
				r.because(t.word, "the colour of "+of)
			}
			continue
		}
		if mood, ok := r.words.means["mood"][t.word]; ok {
			t.known = true
			r.Look.Mood = mood
			r.because(t.word, "a "+mood+" palette")
		}
		if r.ofPeople(tokens, i) {
			t.known = true
			continue
		}
		for _, n := range r.words.nudges(t.word) {
			t.known = true
			r.nudge(n)
			r.because(t.word, "how it plays")
		}
	}
}

func (r *Reading) nudge(n nudge) {
	if r.Factors[n.field] == 0 {
		r.Factors[n.field] = 1
	}
	r.Factors[n.field] *= n.by
}

// ofPeople reports whether a word compares those who play: "whoever is faster wins", "as
// fast as you can".
func (r *Reading) ofPeople(tokens []token, i int) bool {
	l := r.words
	compared := i+1 < len(tokens)
	more := l.is("verb faster", tokens[i].word) || i > 0 && (l.is("verb more", tokens[i-1].word) || compared && l.is("verb equal", tokens[i-1].word))
	if !more || len(l.nudges(tokens[i].word)) == 0 {
		return false
	}
	if compared && !tokens[i+1].startsClause && l.is("verb than", tokens[i+1].word) {
		return true
	}
	from, to := i, i+1
	for from > 0 && !tokens[from].startsClause {
		from--
	}
	for to < len(tokens) && !tokens[to].startsClause {
		to++
	}
	return slices.ContainsFunc(tokens[from:to], func(t token) bool { return l.is("verb whoever", t.word) })
}

// shadeBy is how much lighter or darker a shade of a colour is.
const shadeBy = 0.4

// asIs is the shade of a word that leaves a colour what it is: "bright red".
const asIs = "none"

// isShade reports whether a word only says which shade a colour has: "light blue",
// "azul claro".
func (r *Reading) isShade(tokens []token, i int) bool {
	t := &tokens[i]
	if r.words.means["shade"][t.word] == "" {
		return false
	}
	if i+1 < len(tokens) && !tokens[i+1].startsClause {
		if _, ok := r.words.hue(tokens[i+1].word); ok {
			t.known = true
			return true
		}
	}
	if i > 0 && !t.startsClause && r.behind() {
		if _, ok := r.words.hue(tokens[i-1].word); ok {
			t.known = true
			return true
		}
	}
	return false
}

// behind reports whether adjectives of the text's language stand behind their nouns.
func (r *Reading) behind() bool { return r.Lang == "es" || r.Lang == "fr" }

// shaded is a colour as the word beside it has it.
func (r *Reading) shaded(color string, tokens []token, i int) string {
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(tokens) || tokens[max(i, j)].startsClause || j > i && !r.behind() {
			continue
		}
		if end := r.words.means["shade"][tokens[j].word]; end != "" {
			return toned(color, end)
		}
	}
	return color
}

// toned is a colour nearer to an end, white or black.
func toned(color, end string) string {
	if end == asIs {
		return color
	}
	return look.Mix(color, end, shadeBy)
}

// hue is the colour that a word names: "blue", "dunkelblau", "rosafarben".
func (l *lexicon) hue(word string) (string, bool) {
	colors := l.means["colour"]
	if color, ok := colors[word]; ok {
		return color, true
	}
	if before, _, ok := strings.Cut(word, "farben"); ok && colors[before] != "" {
		return colors[before], true
	}
	for prefix, end := range l.means["prefix"] {
		if color := colors[strings.TrimPrefix(word, prefix)]; color != "" && strings.HasPrefix(word, prefix) {
			return toned(color, end), true
		}
	}
	return "", false
}

// color gives a colour to the noun beside it, or to the scene, and returns whose it is.
// known is false where it is that of something which means nothing here: "a red hat".
func (r *Reading) color(color string, tokens []token, i int) (of string, known bool) {
	var nouns []string
	if r.behind() {
		nouns = append(nouns, r.before(tokens, i, false))
	}
	nouns = append(nouns, r.before(tokens, i, true))
	for j := i + 1; j < min(i+3, len(tokens)) && !tokens[j].startsClause; j++ {
		noun, _, _ := r.words.lookup(tokens[j])
		nouns = append(nouns, noun)
	}
	nouns = slices.DeleteFunc(nouns, func(noun string) bool { return noun == "" })
	for _, noun := range nouns {
		if r.paint(noun, color) {
			return "the " + noun, true
		}
		if r.behind() {
			break
		}
	}
	beside := i + 1
	if r.behind() {
		beside = i - 1
	}
	switch {
	case len(nouns) > 0: // of one that has no part in the game, which is said elsewhere
		return "", true
	case beside >= 0 && beside < len(tokens) && !tokens[max(i, beside)].startsClause && r.isStrange(tokens[beside]):
		return "", false
	}
	r.Look.Tint = color
	return "the scene", true
}

// isStrange reports whether a word means nothing here.
func (r *Reading) isStrange(t token) bool {
	return !t.known && t.number == 0 && !r.heard(t.word) && !r.heard(t.singular)
}

// paint gives the hero, the hazards or the pickups a colour.
func (r *Reading) paint(noun, color string) bool {
	switch noun {
	case "":
		return false
	case r.Hero:
		r.Look.Hero = color
	case r.Hazard:
		r.Look.Hazard = color
	case r.Pickup:
		r.Look.Pickup = color
	default:
		return false
	}
	return true
}

// before is the noun that a colour stands behind, "" for none: right behind it, or behind
// what says that it is so, "the snake should be blue".
func (r *Reading) before(tokens []token, i int, said bool) string {
	is := false
	for j := i - 1; j >= max(0, i-5) && !tokens[j+1].startsClause; j-- {
		word := tokens[j].word
		if noun, _, ok := r.words.lookup(tokens[j]); ok {
			if said && !is {
				return ""
			}
			return noun
		}
		_, hue := r.words.hue(word)
		switch {
		case r.words.is("verb is", word) || r.words.is("verb so", word):
			is = true
			if !said {
				return ""
			}
		case hue || r.words.means["shade"][word] != "" || len(r.words.nudges(word)) > 0:
		default:
			return ""
		}
	}
	return ""
}

// isColor reports whether a noun is the colour of the one beside it: "orange balloons",
// "un chat orange".
func (c *casting) isColor(i int) bool {
	beside := i + 1
	if c.r.behind() {
		beside = i - 1
	}
	if _, ok := c.r.words.hue(c.tokens[i].word); !ok || beside < 0 || beside == len(c.tokens) || c.tokens[max(i, beside)].startsClause {
		return false
	}
	_, _, noun := c.r.words.lookup(c.tokens[beside])
	return noun
}

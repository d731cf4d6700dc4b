// Package brief reads a brief: it maps the words of a text to mechanics,
// figures, places, colours and tunables, says which word chose what, and
// keeps a list of what it did not understand.
package brief

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Reading is what was understood of a text.
type Reading struct {
	Mechanics map[string]float64 // weight of each mechanic that was spoken for
	Lang      string             // BCP 47: en, de, es or fr
	// Stranger is the language of a text that is in none of the catalog's, in
	// English; "" for all others.
	Stranger string
	Hero     string // nouns of the lexicon, "" when not named
	HeroWord string // the hero as it was written
	Hazard   string
	Pickup   string
	// PickupWord is the pickup as it was written.
	PickupWord string
	Boss       string
	Rivals     bool     // the hazards are others like the hero
	Fought     string   // the hazard, if a word says that it is fought or shot
	Nouns      []string // all nouns of the lexicon, in their order
	Idle       []string // those of them that got no role
	OfName     []string // those that are part of a kind's name: "brick breaker"
	Theme      string   // "" when not named
	Places     []string // things of the scenery that were named: castle, river
	Look       spec.Look
	Factors    map[string]float64 // tunable to factor
	Lives      int                // 0 when not named
	Seconds    int
	Title      string
	// Missing is the kind of game that was named and that there is not.
	Missing string
	// Games are those that were called by the name that they have in every language.
	Games   []Game
	Rules   Rules
	Content Content // lists of words or questions
	// Because explains each choice: the word and what it chose.
	Because []Reason
	// words are what words mean in the text's language, and languages those whose
	// words of the catalog count.
	words     *lexicon
	languages []string
	tokens    []token
	named     map[string]bool // mechanics that were called by name
	// Unmet are the phrases that mean nothing here, in their order.
	Unmet []string
}

// Game is one that was called by its name, "pong", and the mechanics that this means.
type Game struct {
	Name  string
	Kinds []string
}

// Reason is one word of a brief and what it chose.
type Reason struct{ Word, Chose string }

// Empty reports whether nothing at all was understood.
func (r Reading) Empty() bool { return len(r.Because) == 0 }

// Read reads a text. It never fails: what it can't read is in Unmet. Lists in it
// are content, if what it asks for takes any.
func Read(text string) Reading {
	rest, content := CutContent(text)
	if content.Empty() {
		return read(text, text, content)
	}
	r := read(rest, text, content)
	best := heaviest(r.Mechanics)
	if list := content.For(best); len(list) > 0 && r.Mechanics[best] > 1 {
		r.because(strings.SplitN(list[0], "|", 2)[0], "the content, with its list")
		r.Unmet = append(r.Unmet, content.unmet()...)
		return r
	}
	r = read(text, text, Content{})
	content.Tables = r.Content.Tables
	r.Content = content
	return r
}

// read reads a text without its lists; whole tells the language.
func read(text, whole string, content Content) Reading {
	r := Reading{Mechanics: map[string]float64{}, named: map[string]bool{}, Factors: map[string]float64{}, Content: content}
	text, r.Title = cutTitle(text)
	if r.Title != "" {
		r.because(r.Title, "the title")
	}
	text = noSuch.ReplaceAllStringFunc(text, func(n string) string {
		r.Unmet = append(r.Unmet, strings.TrimSpace(n))
		return " . "
	})
	tokens := tokenize(Rewrite(text))
	r.Lang, r.words = language(tokenize(joinNames(text)))
	if !content.Empty() {
		r.Lang, r.words = language(tokenize(joinNames(whole)))
	}
	r.languages = []string{r.Lang, "en", anyLanguage}
	r.Stranger = stranger(text, tokens, r.Lang)
	tokens = r.split(tokens)
	r.respell(tokens)
	r.words.negate(tokens)
	r.address(tokens)
	r.readBoss(tokens)
	r.readRules(tokens)
	r.readMechanics(tokens)
	content.speakFor(r.Mechanics)
	r.readTopic(tokens)
	r.readTables(tokens)
	r.tokens = tokens
	r.Params(heaviest(r.Mechanics))
	r.readNumbers(tokens)
	r.readThemes(tokens)
	r.readRoles(tokens)
	r.readLook(tokens)
	r.readUnmet(tokens)
	return r
}

// noSuch are counts that no game can have: fewer than one.
var noSuch = regexp.MustCompile(`(?i)(?:^|\s)(?:[-−]\s?\d+|0)\s+(?:li(?:fe|ves)|hearts?|leben|herz(?:en)?|corazon(?:es)?|c(?:oe|œ)urs?|vidas?|vies?|levels?|niveles|niveaux|players?|spieler|jugadores|joueurs|seconds?|sekunden|segundos|secondes|minut\pL*)(?:$|[^\pL])`)

func (r *Reading) because(word, chose string) {
	reason := Reason{Word: word, Chose: chose}
	if !slices.Contains(r.Because, reason) {
		r.Because = append(r.Because, reason)
	}
}

func (r *Reading) readMechanics(tokens []token) {
	ended, absent := 0, 0 // the phrases that were read until then, and the names of kinds that there are not
	for i := range tokens {
		// The longest phrase that is known counts.
		for n := min(longestPhrase, len(tokens)-i); n >= 1; n-- {
			phrase := joined(tokens[i : i+n])
			if kind := r.missingOf(phrase); kind != "" && !tokens[i].negated {
				if i+n > absent { // "hockey" of "air hockey" is no second one
					r.miss(kind, tokens[i:i+n])
				}
				absent = max(absent, i+n)
				break
			}
			weights, ok := r.mechanicsOf(phrase)
			if !ok && n == 1 {
				phrase = tokens[i].singular
				weights, ok = r.mechanicsOf(phrase)
			}
			if !ok || tokens[i].negated {
				continue
			}
			if n == 1 && r.isMenace(tokens, i) {
				break // "avoiding sharks and mines" is no minesweeper
			}
			for j := i; j < i+n; j++ {
				tokens[j].known = true
				tokens[j].inName = n > 1
			}
			for m, w := range weights {
				r.Mechanics[m] += w
				r.named[m] = r.named[m] || w >= catalog.Named
			}
			if best := heaviest(weights); weights[best] >= 2 {
				r.because(phrase, "the mechanic "+best)
			}
			if i >= ended && spoken[anyLanguage][phrase] != nil {
				r.call(phrase, weights)
			}
			ended = max(ended, i+n)
			break
		}
	}
}

// call notes a game that was called by its name.
func (r *Reading) call(name string, weights map[string]float64) {
	if weights[heaviest(weights)] >= catalog.Named && !slices.ContainsFunc(r.Games, func(g Game) bool { return g.Name == name }) {
		r.Games = append(r.Games, Game{name, slices.Sorted(maps.Keys(weights))})
	}
}

// isMenace reports whether a word is a figure that the same clause tells to avoid.
func (r *Reading) isMenace(tokens []token, i int) bool {
	if _, _, ok := r.words.lookup(tokens[i]); !ok {
		return false
	}
	for j := i; j > 0 && !tokens[j].startsClause; j-- {
		if word := tokens[j-1].word; r.words.is("verb avoid", word) && !r.words.is("plain", word) {
			return true
		}
	}
	return false
}

// miss takes the nearest mechanic for a kind that there is not.
func (r *Reading) miss(kind string, name []token) {
	for i := range name {
		name[i].known, name[i].inName = true, len(name) > 1
	}
	switch r.Missing {
	case "":
		r.Missing = kind
		r.Mechanics[catalog.Missings[kind].Near] += catalog.Named
	case kind:
	default:
		r.Unmet = append(r.Unmet, kind+": there is no such game here")
	}
}

func (r *Reading) readNumbers(tokens []token) {
	for i := range tokens {
		n := tokens[i].number
		if n == 0 || i+1 == len(tokens) || tokens[i].tuned {
			continue
		}
		switch r.words.means["count"][tokens[i+1].singular] {
		case "lives":
			r.Lives = min(max(n, spec.MinLives), spec.MaxLives)
			r.because(tokens[i].word+" "+tokens[i+1].word, "the lives")
			if r.Lives != n {
				r.Unmet = append(r.Unmet, tokens[i].word+" "+tokens[i+1].word)
			}
		case "seconds":
			r.Seconds = n
			r.because(tokens[i].word+" "+tokens[i+1].word, "the length of a run")
		case "minutes":
			r.Seconds = 60 * n
			r.because(tokens[i].word+" "+tokens[i+1].word, "the length of a run")
		default:
			continue
		}
		tokens[i].known, tokens[i+1].known = true, true
	}
}

// readThemes finds the place. A word that also names a figure ("candy") or is part
// of a kind's name ("crossy road") is one only when no other word is.
func (r *Reading) readThemes(tokens []token) {
	for _, last := range []bool{false, true} {
		for i := range tokens {
			t := &tokens[i]
			theme, ok := r.words.theme(*t)
			_, _, figure := r.words.lookup(*t)
			if !ok || t.negated || t.ofBoss || r.isShade(tokens, i) || (figure || t.inName || r.words.means["weak"][t.word] != "") != last {
				continue
			}
			t.known = true
			if thing := places[t.singular]; thing != "" && !slices.Contains(r.Places, thing) {
				r.Places = append(r.Places, thing)
			}
			if r.Theme == "" {
				r.Theme = theme
				r.because(t.word, "the theme "+theme)
			}
		}
	}
}

// inSpace reports whether a text is about space: a ship of it is no boat.
func (r *Reading) inSpace(tokens []token) bool {
	if slices.ContainsFunc(tokens, func(t token) bool {
		_, f, ok := r.words.lookup(t)
		return ok && f.theme == "sea" && t.singular != "ship" && f.body != "ship"
	}) {
		return false // "a pirate ship"
	}
	return r.Theme == "space" || r.Theme == "neon" || slices.ContainsFunc(tokens, func(t token) bool {
		_, f, ok := r.words.lookup(t)
		return ok && f.theme == "space"
	}) || r.Theme == "" && (r.Mechanics["cannon"] > 0 || r.Mechanics["shooter"] > 0)
}

func heaviest(weights map[string]float64) string {
	best := ""
	for m, w := range weights {
		if best == "" || w > weights[best] || w == weights[best] && m < best {
			best = m
		}
	}
	return best
}

// Under returns r with what it leaves open filled from a text in the
// background, such as the project's standing instructions. Nothing of that
// text counts as unmet.
func (r Reading) Under(background Reading) Reading {
	if len(r.Mechanics) == 0 {
		r.Mechanics = background.Mechanics
	}
	r.Hero = cmp.Or(r.Hero, background.Hero)
	r.Hazard = cmp.Or(r.Hazard, background.Hazard)
	r.Pickup = cmp.Or(r.Pickup, background.Pickup)
	r.Boss = cmp.Or(r.Boss, background.Boss)
	r.Theme = cmp.Or(r.Theme, background.Theme)
	r.Look.Mood = cmp.Or(r.Look.Mood, background.Look.Mood)
	r.Look.Tint = cmp.Or(r.Look.Tint, background.Look.Tint)
	if len(r.Factors) == 0 {
		r.Factors = background.Factors
	}
	if r.Lives == 0 {
		r.Lives = background.Lives
	}
	if r.Seconds == 0 {
		r.Seconds = background.Seconds
	}
	r.Rules = r.Rules.under(background.Rules)
	if r.Content.Empty() {
		r.Content = background.Content
	}
	return r
}

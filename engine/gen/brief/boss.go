package brief

import (
	"cmp"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// bossReach is how many words a boss and what it is may be apart.
const bossReach = 7

// readBoss finds who the boss is: "a red dragon boss", "the boss is a spider",
// "a dragon as the boss". What is said of it is said of nothing else.
func (r *Reading) readBoss(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if r.words.means["rule"][t.word] != "boss" {
			r.readBossWord(t)
			continue
		}
		if t.negated {
			continue
		}
		if !r.takeBoss(tokens, i, -1) {
			r.takeBoss(tokens, i, 1)
		}
	}
}

// readBossWord reads a boss that is written together with what it is,
// "Drachenboss".
func (r *Reading) readBossWord(t *token) {
	for boss := range r.words.sets["rule boss"] {
		kind, ok := strings.CutSuffix(t.word, boss)
		if !ok || kind == "" {
			continue
		}
		for _, joint := range []string{"", "s", "n", "en"} {
			part := strings.TrimSuffix(kind, joint)
			if noun, _, ok := r.words.figureOf(part, singular(part)); ok {
				r.Boss, r.Rules.Boss = noun, Wanted
				t.known, t.ofBoss = true, true
				r.because(t.word, "the boss")
				return
			}
		}
	}
}

// takeBoss takes what stands beside the word at i, in a direction, as long as
// it tells what the boss is.
func (r *Reading) takeBoss(tokens []token, i, way int) bool {
	noun, color := "", ""
	last := i
	for j := i + way; j >= 0 && j < len(tokens) && j != i+way*bossReach; j += way {
		t := tokens[j]
		edge := t
		if way < 0 {
			edge = tokens[j+1]
		}
		if edge.startsClause && !edge.afterColon || t.ofBoss {
			break
		}
		name, _, figure := r.words.lookup(t)
		hue, _ := r.words.hue(t.word)
		switch {
		case hue != "" && color == "":
			color, last = hue, j
			continue
		case figure && noun == "":
			noun, last = name, j
			continue
		case len(r.words.nudges(t.word)) > 0 && (noun != "" || way > 0):
			last = j
			continue
		case noun == "" && (r.words.is("verb be", t.word) || way < 0 && r.words.is("verb as", t.word)):
			continue
		}
		break
	}
	if noun == "" && color == "" {
		return false
	}
	for j := i; j != last+way; j += way {
		tokens[j].ofBoss = true
		tokens[j].known = true
	}
	if noun != "" {
		r.Boss = noun
		r.because(noun, "the boss")
	}
	r.Look.Boss = cmp.Or(color, r.Look.Boss)
	return true
}

// SetBoss makes a noun of the lexicon the boss of a game, in a colour. Either
// may be "": the boss then is what it was, or the hazard.
func SetBoss(s *spec.Spec, noun, color string) {
	was := s.Cast.Boss
	if noun == "" && was != nil {
		noun = was.Noun
	}
	actor, usual := castAs("hazard", cmp.Or(noun, s.Cast.Hazard.Noun), color)
	if actor.Body != "" {
		actor.Color2 = figures[actor.Noun].color2
	}
	actor.Color = usual
	s.Cast.Boss = &actor
}

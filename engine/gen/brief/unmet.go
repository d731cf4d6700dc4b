package brief

import (
	"slices"
	"strings"
)

// shooting are the mechanics in which the player shoots.
var shooting = []string{"asteroids", "bubbles", "cannon", "defence", "formation", "shooter", "slingshot", "typing"}

// boundWords are those behind which a number is one that someone means, whatever of.
var boundWords = listed("to between within until than zwischen bis hoechstens mindestens hasta entre maximo minimo jusqu'a jusque maximum minimum")

// readUnmet collects runs of words that nothing above knew.
func (r *Reading) readUnmet(tokens []token) {
	var run []string
	flush := func() {
		if len(run) > 0 {
			r.Unmet = append(r.Unmet, Clip(strings.Join(run, " "), 60))
		}
		run = nil
	}
	for i, t := range tokens {
		if t.startsClause {
			flush()
		}
		// How many of something there are is decided by the mechanic.
		if t.number > 1 && !t.known && i+1 < len(tokens) && !tokens[i+1].startsClause && (!r.words.is("plain", tokens[i+1].word) || r.words.is("count points", tokens[i+1].word)) && tokens[i+1].number == 0 {
			flush()
			run = append(run, t.raw, tokens[i+1].raw)
			flush()
			continue
		}
		if t.number > 1 && !t.known && i > 0 && !t.startsClause && boundWords[tokens[i-1].word] {
			flush()
			said := tokens[i-1].raw + " " + t.raw
			if i+2 < len(tokens) && tokens[i+2].number > 0 && !tokens[i+1].startsClause && !tokens[i+2].startsClause && tableJoins[tokens[i+1].word] {
				said += " " + tokens[i+1].raw + " " + tokens[i+2].raw // "between 20 and 60"
			}
			r.note(Clip(said, 60))
			continue
		}
		switch {
		case t.known || r.words.is("verb fight", t.word) || r.words.is("verb attack", t.word) || r.words.is("verb throw", t.word) || r.words.is("verb feed", t.word) || r.words.is("verb act", t.word) || r.words.is("verb is", t.word):
			flush()
		case r.words.is("verb shoot", t.word) && (r.Fought != "" || slices.Contains(shooting, heaviest(r.Mechanics))):
			flush()
		case r.words.is("verb avoid", t.word) || r.words.is("verb collect", t.word) || r.words.is("verb negate", t.word):
			flush()
		case r.words.is("plain", t.word) || r.words.is("grammar", t.word) || r.words.is("plain", t.singular) || t.number != 0 || len(t.word) < 2:
			flush()
		default:
			run = append(run, t.raw)
		}
	}
	flush()
}

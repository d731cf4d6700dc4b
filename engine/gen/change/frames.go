package change

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// frames are the ways in which a clause speaks of one end of an axis.
type frames struct {
	said, like, less, sofar, lacking, excess, more, asked, stated *regexp.Regexp
}

// The words around an adjective.
const (
	degree = `(?:(?:ja|doch|einfach|schon|mir|uns|aber|way|far|much|really|very|pretty|quite|rather|kind of|kinda|so|a bit|a little|awfully|super|extremely|totally|ganz|ziemlich|echt|wirklich|total|sehr|viel|etwas|ein bisschen|muy|bastante|un poco|realmente|bien|très|vraiment|assez|un peu|tellement) )*`
	excess = `(?:too|overly|unbearably|insanely|ridiculously|impossibly|crazy|unerträglich|irre|wahnsinnig|insoportablemente|horriblement|not (?:so|too|that)|less|so|zu|nicht (?:so|zu|ganz so)|weniger|demasiado|muy|tan|menos|trop|moins|pas (?:si|trop|aussi)|tellement|troppo|meno|muito) `
	// hardly is what a game has too little of: "not very exciting".
	hardly = `(?:(?:isn'?t|ain'?t|is not|ist nicht|no es|n'est pas) (?:so|that|all that|tan|si)|(?:not|isn'?t|ain'?t|nicht|no es|no está|no va|no son|pas) (?:very|really|particularly|exactly|sehr|besonders|wirklich|gerade|muy|nada|très|vraiment|bien)|(?:not|isn'?t|nicht|no es|no va) (?:bastante|suficientemente|lo bastante|lo suficientemente)|pas assez|kaum|hardly|apenas|à peine) `
	// last is what may follow an adjective that is about the game, and no part of "the fast enemies".
	last = `(?:[^\pL]*$|[^\pL]+(?:please|bitte|por favor|svp|stp|now|jetzt|ahora|again|wieder|paced|enough|genug|game|spiel|juego|jeu|gameplay|to play|zu spielen|for|für|para|pour|so|like|wie|como|comme|but|than|als|que|tbh|honestly|machen|sein|werden|wäre|haben|gestalten|hacer(?:lo)?)(?:$|[^\pL]))`
	be   = `(?:is|are|was|it'?s|that'?s|feels?|seems?|gets?|plays?|ist|sind|war|wirkt|wird|es|está|son|parece|resulta|se hace|se siente|est|c'est|sont|semble|paraît) `
)

// framed compiles the frames of an end when they are first needed.
func framed(e end) func() frames {
	return sync.OnceValue(func() frames {
		of := func(lists ...[]string) string {
			if all := slices.Concat(lists...); len(all) > 0 {
				return `(?:` + strings.Join(all, `|`) + `)`
			}
			return `[^\s\S]` // nothing
		}
		blamed, wished := of(e.fault, e.quality)+`(?:e?s)?`, of(e.fault, e.quality, e.thrill)+`(?:e?s)?`
		return frames{
			said:    words(of(e.said)),
			like:    words(of(e.like)),
			less:    words(of(e.less)),
			lacking: words(hardly+wished, `(?:not|isn'?t|nicht|pas|no) (?:\pL+ )?`+wished+` (?:enough|genug)`, `not enough `+wished),
			sofar:   words(`(?:so|si|tan) ` + wished + ` (?:that|dass|que|qu)`), // "make it so easy that I win"
			excess:  words(excess + degree + blamed),
			more:    words(of(e.more), `(?:more|m[aá]s|mais|plus|pi[uù]) `+wished, `(?:not|isn'?t|nicht|no es|n'est pas|c'est pas) `+wished),
			asked:   regexp.MustCompile(`(?:^|[^\pL])` + wished + last),
			stated:  regexp.MustCompile(`(?:^|[^\pL])` + be + degree + of(e.fault) + `(?:$|[^\pL])|^` + degree + of(e.fault) + last),
		}
	})
}

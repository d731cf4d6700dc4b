package change

import (
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// foes is the tunable of mechanics whose hazards can move in several ways, which are
// named in its Ways; the first is their own.
const foes = "foes"

// manner is a way in which hazards may move.
type manner struct {
	name string
	said *regexp.Regexp
	what string // of the summary
}

var (
	manners = []manner{
		{"wander", words(`wander\pL*`, `roam\pL*`, `aimless(?:ly)?`, `(?:mov|walk|run|go|fly|float|drift)\pL* (?:\pL+ ){0,3}random(?:ly)?`, `random(?:ly)? (?:mov|walk|direction|path)\pL*`, `ziellos`, `(?:umher|herum)\pL*`, `(?:beweg|lauf|läuf|flieg|geh)\pL* (?:\pL+ ){0,3}zufällig`, `zufällig (?:\pL+ ){0,2}(?:beweg|lauf|flieg|geh)\pL*`, `(?:muev|mov|and)\pL+ (?:\pL+ )?(?:al azar|aleatori\pL+)`, `deambul\pL+`, `vag(?:an|uen|ar)`, `(?:déplac|boug)\pL+ (?:\pL+ )?(?:au hasard|aléatoirement)`, `err(?:ent|er)`, `se promèn\pL+`), "they wander about"},
		{"still", words(`(?:stand|stay|stands|stays) (?:still|put|where they are|in place)`, `(?:not|never|stop|\pL+n't|dont|cant) mov(?:e|ing)`, `motionless`, `(?:still|stehen)\s?(?:stehen|bleiben)`, `nicht bewegen`, `(?:nicht|kein) vom fleck`, `quiet[oa]s?`, `no se (?:muevan?|mueven?)`, `inmóviles`, `immobiles?`, `ne boug\pL+ (?:pas|plus)`, `sur place`), "they stay where they are"},
		{"dive", words(`div(?:e|es|ing)`, `swoop\pL*`, `(?:dash|fly|charge|plunge|rush)\pL* (?:down|at)`, `(?:herab|hinab)?stürzen(?: \pL+)*`, `sturzflug`, `en picado`, `se (?:lan[cz]\pL+|abalan\pL+)`, `plong(?:e|ent|er)`, `piqu(?:e|ent|er)`, `fonc(?:e|ent|er)`), "one after the other dives at the hero"},
		{"straight", words(`straight`, `in a (?:straight )?line`, `geradeaus`, `gerade (?:auf|nach|zu)`, `rect[oa]s?`, `en línea`, `tout droit`, `en ligne droite`), "they come straight on"},
		{"hunt", words(`chas(?:e|es|ing)`, `follows?`, `following (?:me|us|you|him|her|my)`, `hunt(?:s|ing)?`, `pursu\pL+`, `(?:come|go|comes|goes) (?:after|for|towards?|at)`, `target`, `verfolg\pL*`, `jag(?:en|t)`, `hinterher\pL*`, `nachlaufen`, `persig\pL+`, `persegu\pL+`, `(?:me|nos|te|lo|la) sig(?:an?|uen?)`, `sig(?:an?|uen?) (?:a|al)`, `seguir(?:me|nos|lo|la)`, `cacen`, `caz(?:an?|ar\pL*)`, `poursui\pL+`, `suiv(?:re|ent)`, `suit`, `chass(?:e|ent|er)`, `traqu\pL+`), "they go after the hero"},
		{"own", words(`patrol\pL*`, `march\pL*`, `as usual`, `normal(?:ly)?`, `patrouill\pL*`, `wie üblich`, `patrull\pL+`, `normalmente`, `normalement`), "they move as they did at first"},
	}
	otherwise     = words(`(?:different|other|another|new|more varied) (?:\pL+ )?(?:behaviou?rs?|movements?|patterns?|ai)`, `(?:behave|move) (?:differently|in another way)`, `ander(?:s|e[snm]?) (?:verhalten|bewegen|bewegung\pL*)`, `(?:verhalten|bewegen) sich anders`, `otr[oa] (?:comportamiento|movimiento)`, `de otr[oa] (?:forma|manera)`, `autre comportement`, `comportements? différents?`, `(?:bougent|bouger|se déplacent) (?:autrement|différemment)`)
	chancePattern = words(`random(?:ly)?`, `zufällig`, `al azar`, `aleatori\pL+`, `au hasard`, `aléatoirement`)
	// movesPattern would not have them stand still.
	movesPattern = words(`(?:not|never|\pL+n't|dont|cant|no longer) (?:\pL+ )?(?:stand|stay|stop|be still|be motionless)\pL*`, `(?:nicht|nie|nie mehr) (?:\pL+ )?(?:still|stehen)\pL*`, `no (?:se )?(?:qued|par|det)\pL+`, `ne (?:s'arrêt|rest)\pL+ (?:pas|jamais|plus)`)
	// blamesPattern only says how they move.
	blamesPattern  = words(`keeps?`, `just`, `only`, `nur`, `bloß`, `s[oó]lo`, `seulement`)
	refusesPattern = words(`cant`, `cannot`, `dont`, `\pL+n't`)
	theyPattern    = words(`they`, `sie`, `ell[oa]s`, `ils`, `elles`)
)

// mannerOf returns the way that a clause would have hazards move in, of those that a game
// has; "other" for any but the present one, "not " and a way for any but that one, "" where
// it says nothing of it, and whether it speaks of one that the game has not.
func mannerOf(s spec.Spec, c clause) (way string, absent bool) {
	who := obstaclePattern.MatchString(c.text) || c.names(s.Cast.Hazard.Noun) || theyPattern.MatchString(c.text)
	if !who {
		return "", false
	}
	can := catalog.Mechanics[s.Mechanic].Params[foes].Ways
	denied := deniesPattern.MatchString(c.text) || refusesPattern.MatchString(c.text)
	switch {
	case otherwise.MatchString(c.text):
		return "other", len(can) == 0
	case len(can) > 0 && smarterPattern.MatchString(c.text):
		return "hunt", !slices.Contains(can, "hunt")
	case len(can) > 0 && dumberPattern.MatchString(c.text):
		return mildest(can), false
	}
	if c.wants(&pace) != 0 || c.wants(&challenge) != 0 || tooPattern.MatchString(c.text) {
		return "", false // "they chase me too fast"
	}
	for _, m := range manners {
		switch {
		case !m.said.MatchString(c.text):
		case m.name == "hunt" && denied && len(can) > 0:
			return mildest(can), false
		case m.name != "still" && denied, movesPattern.MatchString(c.text):
			return "not " + m.name, len(can) == 0
		default:
			return m.name, !slices.Contains(can, m.name)
		}
	}
	return "", false
}

// mildest is the way that is the easiest to get away from.
func mildest(can []string) string {
	for _, way := range []string{"wander", "straight", "still"} {
		if slices.Contains(can, way) {
			return way
		}
	}
	return "own"
}

// behaviour has the hazards move in another way: "the ghosts should wander".
func behaviour(s *spec.Spec, c clause) result {
	way, absent := mannerOf(*s, c)
	p := catalog.Mechanics[s.Mechanic].Params[foes]
	now := int(paramOf(*s, foes, p))
	alone := !slices.ContainsFunc(c.reading.Nouns, func(noun string) bool { return noun != "enemy" && !s.Cast.Has(noun) }) // "wolves that chase me" are others
	switch {
	case way == "":
		return result{}
	case absent && len(p.Ways) == 0:
		return result{unmet: "how the others move goes with the kind of game; they can be faster, slower, more or fewer", alone: alone}
	case absent:
		return result{unmet: brief.Article(s.Mechanic+" game") + " has these ways: " + waysOf(p.Ways), alone: alone}
	case way == "other", way == "not "+p.Ways[now]:
		way = p.Ways[(now+1)%len(p.Ways)]
	case strings.HasPrefix(way, "not "):
		way = p.Ways[now]
	case blamesPattern.MatchString(c.text) && !asksPattern.MatchString(c.text):
		return result{unmet: "say how they should move instead; there are these ways: " + waysOf(p.Ways), alone: alone}
	}
	next := slices.Index(p.Ways, way)
	switch {
	case next != now:
	case dumberPattern.MatchString(c.text): // "they are too smart"
		return harder(s, c, -1)
	case smarterPattern.MatchString(c.text):
		return harder(s, c, 1)
	default:
		return result{unmet: "it is like that already; there are these ways: " + waysOf(p.Ways), alone: alone}
	}
	s.Params = with(s.Params, foes, float64(next))
	return result{did: "how the others move: " + describeWay(way), alone: alone}
}

// mannerNamed is the manner with a name, which there is.
func mannerNamed(name string) manner {
	return manners[slices.IndexFunc(manners, func(m manner) bool { return m.name == name })]
}

func describeWay(name string) string { return mannerNamed(name).what }

func waysOf(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, describeWay(name))
	}
	return strings.Join(out, ", or ")
}

// Behave gives a new game the way in which its brief has the hazards move, and as many
// pickups as that says, and returns those of its unmet wishes that are not about how they
// move. That they hunt is what most do anyway.
func Behave(s *spec.Spec, text string, unmet []string) []string {
	for _, raw := range clauses(text) {
		c := wishOf(raw)
		gather(s, c)
		way, absent := mannerOf(*s, c)
		if way == "" || way == "hunt" || way == "other" || strings.HasPrefix(way, "not ") || absent {
			continue
		}
		s.Params = with(s.Params, foes, float64(slices.Index(catalog.Mechanics[s.Mechanic].Params[foes].Ways, way)))
		said := mannerNamed(way).said
		return slices.DeleteFunc(unmet, func(u string) bool {
			u = lower(u)
			return said.MatchString(u) || way == "wander" && chancePattern.MatchString(u)
		})
	}
	return unmet
}

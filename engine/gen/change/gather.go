package change

import (
	"regexp"
	"slices"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// pickups is the tunable of mechanics that says how many pickups there are, whatever they
// are in a game.
const pickups = "pickups"

var (
	collectPattern = words(`pickups?`, `collectibles?`, `(?:things|stuff|items) to (?:collect|catch|pick up|grab)`, `(?:sachen|dinge) zum (?:sammeln|einsammeln)`, `cosas (?:que|para) (?:recoger|coger)`, `(?:choses|objets) à (?:ramasser|collecter)`)
	manyPattern    = words(`many`, `lots`, `plenty`, `tons`, `loads`, `full of`, `everywhere`, `viele?n?`, `jede menge`, `voller`, `überall`, `much[oa]s`, `un montón`, `llen[oa]s? de`, `por todas partes`, `beaucoup`, `plein(?:e|es|s)?`, `partout`)
	// withoutPattern has what there is to be none of.
	withoutPattern = regexp.MustCompile(`(?:^|[^\pL])(?:no|without(?: any| the)?|remove(?: all)?(?: the)?|get rid of(?: the)?|keine?|ohne(?: die)?|entferne(?: die| alle)?|sin(?: las| los)?|quita (?:las|los)|sans(?: les)?|pas de|enlève les|supprime les)\s+(\pL+)`)
	// meansPattern says what they are or do, and not how many there are.
	meansPattern = words(`points?`, `punkte?`, `puntos?`, `when(?:ever)?`, `if`, `that`, `which`, `per`, `each`, `every`, `for`, `wenn`, `pro`, `für`, `jede[rsmn]?`, `cuando`, `si`, `cada`, `por`, `quand`, `chaque`, `par`, `pour`)
)

// gather changes how many pickups there are: "more coins", "no bananas".
func gather(s *spec.Spec, c clause) result {
	p, has := catalog.Mechanics[s.Mechanic].Params[pickups]
	if !has || c.tuned || worthPattern.MatchString(c.text) || meansPattern.MatchString(c.text) || !c.names(s.Cast.Pickup.Noun) && !collectPattern.MatchString(c.text) {
		return result{}
	}
	want, way := paramOf(*s, pickups, p), float64(c.amount())
	switch many := manyPattern.MatchString(c.text); {
	case without(c.text, s.Cast.Pickup.Noun):
		want = p.Min
	case many && way >= 0:
		want += 2
	case way != 0:
		want += way * step(c, 1, 1, 2)
	default:
		return result{}
	}
	r := setParam(s, pickups, want)
	r.tuned = true
	return r
}

// without reports whether a text would have none of a noun, or of what is collected.
func without(text, noun string) bool {
	return slices.ContainsFunc(withoutPattern.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return mentions(m[1], noun) || slices.Contains(brief.Read(m[1]).Nouns, noun) || collectPattern.MatchString(m[1])
	})
}

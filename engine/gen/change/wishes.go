package change

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

// placesPattern is a list of the places of all levels: "3 worlds: jungle, desert and ice".
var placesPattern = regexp.MustCompile(`(?i)(?:levels?|stages|worlds|welten|stufen|niveles|mundos|niveaux|mondes)\s*[:(]\s*([^.;:()\n]{3,200})\)?`)

var placesSplit = regexp.MustCompile(`(?i)\s*,\s*(?:and\s+|und\s+|y\s+|et\s+)?|\s+(?:and|und|y|et|then|dann|luego|puis)\s+`)

// CutWishes takes out of a brief what is carried out as of a follow-up, since of the game
// as a whole it says nothing: of single levels, "level 2 is under water", that it can't be
// lost, a table of scores. The first level is where the game is.
func CutWishes(text string) (rest string, wishes []string) {
	rest = outside(text, apostrophes.Replace)
	if m := placesPattern.FindStringSubmatchIndex(rest); m != nil {
		places := placesSplit.Split(strings.TrimSpace(rest[m[2]:m[3]]), spec.MaxLevels+1)
		if len(places) > 1 && allPlaces(places) {
			for i, place := range places[1:] {
				wishes = append(wishes, fmt.Sprintf("level %d %s", i+2, place))
			}
			rest = rest[:m[2]] + places[0] + rest[m[3]:]
		}
	}
	for _, raw := range clauses(rest) {
		c := clause{raw: raw, text: lower(raw)}
		if n := levelOf(spec.Spec{}, c); n < 2 {
			continue
		}
		if c.reading = brief.Read(raw); c.reading.Theme == "" && !paced(c) {
			continue
		}
		wishes = append(wishes, raw)
		rest = strings.Replace(rest, raw, " . ", 1)
	}
	for _, pattern := range []*regexp.Regexp{safePattern, tablePattern} {
		if lower := strings.ToLower(rest); len(lower) == len(rest) {
			if at := pattern.FindStringIndex(lower); at != nil {
				wishes = append(wishes, rest[at[0]:at[1]])
				rest = rest[:at[0]] + " . " + rest[at[1]:]
			}
		}
	}
	return rest, wishes
}

func allPlaces(list []string) bool {
	for _, place := range list {
		if brief.Read(place).Theme == "" {
			return false
		}
	}
	return true
}

func paced(c clause) bool {
	return c.wants(&pace) != 0 || c.wants(&challenge) != 0
}

// Wishes carries those out and returns what it could not.
func Wishes(s *spec.Spec, wishes []string) (unmet []string) {
	for _, raw := range wishes {
		c := wishOf(raw)
		r := stage(s, c)
		for _, op := range []operation{safety, table} {
			if r == (result{}) {
				r = op(s, c)
			}
		}
		if r.unmet != "" {
			unmet = append(unmet, brief.Clip(raw, 60)+": "+r.unmet)
		}
	}
	return unmet
}

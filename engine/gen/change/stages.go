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

// CutStages takes out of a brief what it says of single levels, "level 2 is under
// water": of the game as a whole it says nothing. The first level is where the game is.
func CutStages(text string) (rest string, wishes []string) {
	rest = text
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
		c := clause{raw: raw, text: strings.ToLower(raw)}
		if n := levelOf(spec.Spec{}, c); n < 2 {
			continue
		}
		if c.reading = brief.Read(raw); c.reading.Theme == "" && !paced(c) {
			continue
		}
		wishes = append(wishes, raw)
		rest = strings.Replace(rest, raw, " . ", 1)
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
	return fasterPattern.MatchString(c.text) || slowerPattern.MatchString(c.text) || harderPattern.MatchString(c.text) || easierPattern.MatchString(c.text)
}

// Stages carries out what a brief says of single levels and returns what it could not.
func Stages(s *spec.Spec, wishes []string) (unmet []string) {
	for _, raw := range wishes {
		c := clause{raw: raw, text: strings.ToLower(raw), reading: brief.Read(raw)}
		if r := stage(s, c); r.unmet != "" {
			unmet = append(unmet, brief.Clip(raw, 60)+": "+r.unmet)
		}
	}
	return unmet
}

package change

import (
	"maps"
	"regexp"
	"strconv"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// onlyPattern names one level: "level 2", "the second level", "das letzte Level".
var onlyPattern = regexp.MustCompile(`(?:^|[^\pL])(?:(?:level|stage|world|nivel|niveau|stufe)\s+(\d+|one|two|three|four|five|zwei|drei|vier|dos|tres|deux|trois)|(\d+)(?:nd|rd|th|st|\.|º|e|ème)\s+(?:level|stage|world|nivel|niveau|stufe)` +
	`|(second|third|fourth|fifth|last|final|zweite[sn]?|dritte[sn]?|vierte[sn]?|letzte[sn]?|segundo|tercer|cuarto|último|deuxième|troisième|quatrième|dernier)\s+(?:level|stage|world|nivel|niveau|stufe))(?:$|[^\pL])`)

var ordinals = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "zwei": 2, "drei": 3, "vier": 4, "dos": 2, "tres": 3, "deux": 2, "trois": 3,
	"zweite": 2, "zweites": 2, "zweiten": 2, "dritte": 3, "drittes": 3, "dritten": 3, "vierte": 4, "viertes": 4, "vierten": 4, "segundo": 2, "tercer": 3, "cuarto": 4, "deuxième": 2, "troisième": 3, "quatrième": 4,
}

// levelOf returns the one level that a clause is about, 0 for none.
func levelOf(s spec.Spec, c clause) int {
	m := onlyPattern.FindStringSubmatch(c.text)
	if m == nil {
		return 0
	}
	name := firstOf(m[1], m[2], m[3])
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	if n := ordinals[name]; n > 0 {
		return n
	}
	return max(2, s.Play.Levels) // the last one
}

// stage changes one level alone: its place and colours, its speed, how much there is to avoid.
func stage(s *spec.Spec, c clause) result {
	n := levelOf(*s, c)
	if n == 0 {
		return result{}
	}
	m := catalog.Mechanics[s.Mechanic]
	switch {
	case n > spec.MaxLevels:
		return bound("a game can have %d levels", spec.MaxLevels)
	case !m.HasLevels(s.Play.Duration):
		return bound("this game has no levels")
	}
	st, at := spec.Stage{Level: n}, -1
	for i, have := range s.Stages {
		if have.Level == n {
			st, at = have, i
		}
	}
	var did []result
	if r := dress(*s, &st, c); r.did != "" {
		did = append(did, r)
	}
	if way := c.wants(&pace); way != 0 {
		did = append(did, factor(n, "speed", &st.Speed, by(way, step(c, 1.1, 1.25, 1.6))))
	} else if way := c.wants(&challenge); way != 0 {
		did = append(did, factor(n, "speed", &st.Speed, by(way, 1.15)), factor(n, "density", &st.Density, by(way, 1.2)))
	} else if k := crowd(*s, c); k != 0 {
		did = append(did, factor(n, "density", &st.Density, k))
	}
	if len(did) == 0 {
		return bound("of one level alone I can change the place, the colours, the speed and how hard it is")
	}
	if s.Play.Levels < n {
		did = append(did, count("levels", &s.Play.Levels, n))
	}
	stages := append([]spec.Stage{}, s.Stages...)
	if at >= 0 {
		stages[at] = st
	} else {
		stages = append(stages, st)
	}
	s.Stages = stages
	return list(did...)
}

// dress gives a level a place of its own, or colours: those of a figure are not its own.
func dress(s spec.Spec, st *spec.Stage, c clause) result {
	theme, colors := c.reading.Theme, spec.Look{}
	if len(c.reading.Nouns) == 0 {
		colors.Tint = c.reading.Look.Tint
		if theme == "" { // a night is dark enough
			colors.Mood = moodOf(c)
		}
	}
	what := "theme " + theme
	switch {
	case theme != "" && theme != st.Theme:
		st.Theme, st.Scene = theme, ptr(brief.Scene(theme, c.reading.Places))
	case colors == spec.Look{}:
		return result{}
	case st.Theme == "":
		st.Theme, st.Scene = s.Theme, ptr(s.Scene)
		fallthrough
	default:
		what = "colours " + firstOf(colors.Mood, colors.Tint)
	}
	colors.Mood = firstOf(colors.Mood, s.Look.Mood)
	st.Palette = ptr(look.Palette(look.Themes[st.Theme], colors))
	return done("level %d: %s", st.Level, what)
}

func factor(level int, name string, field *float64, by float64) result {
	if *field == 0 {
		*field = 1
	}
	old := *field
	*field = min(max(*field*by, spec.MinFactor), spec.MaxFactor)
	return done("level %d: %s %s → %s", level, name, number(old), number(*field))
}

func ptr[T any](v T) *T { return &v }

func keysOf[V any](m map[string]V) func(func(string) bool) { return maps.Keys(m) }

// with returns a map with one more entry; the map itself may be of an older spec.
func with(m map[string]float64, name string, v float64) map[string]float64 {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]float64{}
	}
	out[name] = v
	return out
}

package change

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// step returns the factor that a clause asks for: usual, or less or more of
// it when the clause says so.
func step(c clause, bit, usual, much float64) float64 {
	switch {
	case muchPattern.MatchString(c.text):
		return much
	case bitPattern.MatchString(c.text):
		return bit
	}
	return usual
}

// scale multiplies one tunable and says so, or says that it is at its bound.
func scale(s *spec.Spec, name string, field *float64, by float64) result {
	if !catalog.Uses(s.Mechanic, strings.Fields(name)[0]) {
		return bound("%s: %s has none", name, brief.Article(s.Mechanic+" game"))
	}
	old := *field
	*field *= by
	s.Play = s.Play.Clamped(s.Format).Rounded()
	if *field == old {
		most := "most"
		if by < 1 {
			most = "least"
		}
		return bound("%s is at its %s already (%s)", name, most, number(old))
	}
	r := done("%s %s → %s", name, number(old), number(*field))
	r.scaled = fmt.Sprintf("%s %t;", name, by > 1)
	return r
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

func speed(s *spec.Spec, c clause) result {
	if way := c.wants(&pace); way != 0 {
		return hurry(s, c, way)
	}
	return result{}
}

func difficulty(s *spec.Spec, c clause) result {
	if way := c.wants(&challenge); way != 0 {
		return harder(s, c, way)
	}
	return result{}
}

// list joins the results of one wish: it is met as far as any of them is.
func list(results ...result) result {
	var did, unmet []string
	scaled := ""
	for _, r := range results {
		scaled += r.scaled
		if r.did != "" {
			did = append(did, r.did)
		} else {
			unmet = append(unmet, r.unmet)
		}
	}
	if len(did) > 0 {
		return result{did: strings.Join(did, ", "), scaled: scaled}
	}
	return result{unmet: strings.Join(unmet, ", ")}
}

func lives(s *spec.Spec, c clause) result {
	if !lifePattern.MatchString(c.text) || s.Cast.Pickup.Noun == "heart" && strings.Contains(c.text, "heart") && c.reading.Lives == 0 {
		return result{}
	}
	old, named, more := s.Play.Lives, c.reading.Lives, c.amount() > 0
	blamed := tooFewPattern.MatchString(c.text) || tooManyPattern.MatchString(c.text) // "3 lives is too few"
	switch {
	case named > 0 && bounding(c.text):
		s.Play.Lives = named
	case blamed && c.amount() > 0:
		s.Play.Lives++
	case blamed:
		s.Play.Lives--
	case c.amount() < 0:
		s.Play.Lives -= max(1, named)
	case more && named > 0:
		s.Play.Lives += named
	case named > 0:
		s.Play.Lives = named
	case (more || givePattern.MatchString(c.text)) && livesPattern.MatchString(c.text):
		s.Play.Lives += 2
	case more || givePattern.MatchString(c.text):
		s.Play.Lives++
	default:
		return result{} // the clause is about something else of them
	}
	s.Play = s.Play.Clamped(s.Format)
	if s.Play.Lives == old {
		return bound("there are %d lives already; a game can have %d to %d", old, spec.MinLives, spec.MaxLives)
	}
	return done("lives %d → %d", old, s.Play.Lives)
}

func duration(s *spec.Spec, c clause) result {
	way := c.wants(&span)
	if ofThing(c.text) {
		way = 0
	}
	switch {
	case c.reading.Seconds > 0 && tooFewPattern.MatchString(c.text): // "30 seconds is too little"
		return lasting(s, c, 1)
	case way != 0 && tooPattern.MatchString(c.text): // "30 seconds is too long"
		return lasting(s, c, way)
	case c.reading.Seconds > 0:
		return limit(s, c.reading.Seconds)
	case c.reading.Rules.Endless && s.Format == spec.Platform:
		return limit(s, 0)
	case c.reading.Rules.Endless:
		return bound("a game of this type has a limit of %d seconds", spec.MaxDuration)
	}
	if way != 0 && !textPattern.MatchString(c.text) {
		return lasting(s, c, way)
	}
	return result{}
}

// lasting makes a run longer or shorter.
func lasting(s *spec.Spec, c clause, way int) result {
	base := s.Play.Duration
	if base == 0 {
		base = 2 * spec.MaxDuration // a game without a limit gets one
	}
	return limit(s, int(float64(base)*by(way, step(c, 1.15, 1.33, 1.6))))
}

// limit sets how many seconds a run lasts, 0 for no limit.
func limit(s *spec.Spec, wanted int) result {
	old := s.Play.Duration
	s.Play.Duration = wanted
	s.Play = s.Play.Clamped(s.Format)
	switch {
	case s.Play.Duration == old && old == 0:
		return bound("there is no limit of time")
	case s.Play.Duration == old:
		return bound("a run lasts %s already, its limit", seconds(old))
	}
	return done("length of a run %s → %s", seconds(old), seconds(s.Play.Duration))
}

func seconds(n int) string {
	if n == 0 {
		return "without a limit"
	}
	return fmt.Sprintf("%d s", n)
}

// size is about the hero; a wish for a bigger anything else is not met.
func size(s *spec.Spec, c clause) result {
	about := c.names(s.Cast.Hero.Noun) || heroPattern.MatchString(c.text)
	if c.tuned || !about && (boardPattern.MatchString(c.text) || c.reading.Theme != "") { // "a bigger field", "bigger trees"
		return result{}
	}
	others := obstaclePattern.MatchString(c.text) || c.names(s.Cast.Hazard.Noun) || c.names(s.Cast.Pickup.Noun) || !about && len(c.reading.Unmet)+len(c.reading.Nouns) > 0
	by := step(c, 1.08, 1.2, 1.4)
	switch {
	case textPattern.MatchString(c.text) && (biggerPattern.MatchString(c.text) || smallerPattern.MatchString(c.text)):
		return result{unmet: "texts and buttons are as large as the screen has room for; I can change the size of the hero", alone: true}
	case others:
	case biggerPattern.MatchString(c.text):
		return scale(s, "size of the hero", &s.Play.Size, by)
	case smallerPattern.MatchString(c.text):
		return scale(s, "size of the hero", &s.Play.Size, 1/by)
	}
	return result{}
}

func amount(s *spec.Spec, c clause) result {
	if k := crowd(*s, c); k != 0 {
		return scale(s, "density", &s.Play.Density, k)
	}
	return result{}
}

// crowd is how many times as many there are to be of those that are avoided, 0 where
// a clause says nothing of it.
func crowd(s spec.Spec, c clause) float64 {
	if c.tuned || !obstaclePattern.MatchString(c.text) && !c.names(s.Cast.Hazard.Noun) {
		return 0
	}
	k := step(c, 1.12, 1.3, 1.6)
	if nonePattern.MatchString(c.text) {
		return spec.MinFactor / s.Play.Density
	}
	switch c.amount() {
	case 1:
		return k
	case -1:
		return 1 / k
	}
	return 0
}

// betweenPattern is room or time between things, of which more means fewer things, or wider ones.
var betweenPattern = words(`between`, `zwischen`, `entre`)

// amount is whether a clause would have more of something, 1, or less, -1.
func (c clause) amount() int {
	switch {
	case bounding(c.text), fullPattern.MatchString(c.text), betweenPattern.MatchString(c.text):
		return 0
	case tooFewPattern.MatchString(c.text):
		return 1
	case tooManyPattern.MatchString(c.text), lessPattern.MatchString(c.text):
		return -1
	case morePattern.MatchString(c.text):
		return 1
	}
	return 0
}

func gravity(s *spec.Spec, c clause) result {
	if way := c.wants(&weight); way != 0 {
		return weigh(s, c, way)
	}
	return result{}
}

// names reports whether a clause has a noun, in any language.
func (c clause) names(noun string) bool {
	return mentions(c.text, noun) || slices.Contains(c.reading.Nouns, noun)
}

// mentions reports whether a text has a noun, in the singular or plural.
func mentions(text, noun string) bool {
	return noun != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(noun)+`(?:e?s)?\b`).MatchString(text)
}

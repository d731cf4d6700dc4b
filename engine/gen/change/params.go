package change

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

var (
	plusPattern = words(`more`, `extra`, `additional`, `add`, `mehr`, `weitere`, `zusätzlich\pL*`, `m[aá]s`, `añade`, `agrega`, `(?:de|en) plus`, `ajoute[rz]?`, `supplémentaires?`)
	// mostPattern and leastPattern bound a number: "no more than 8 columns".
	mostPattern  = words(`(?:no|not) more than`, `at (?:the )?most`, `up to`, `max(?:imum)?`, `nicht mehr als`, `höchstens`, `maximal`, `no m[aá]s de`, `como (?:máximo|mucho)`, `máximo`, `pas plus de`, `au (?:plus|maximum)`)
	leastPattern = words(`(?:no|not) (?:less|fewer) than`, `at least`, `minimum`, `nicht weniger als`, `mindestens`, `minimal`, `no menos de`, `al menos`, `por lo menos`, `como mínimo`, `pas moins de`, `au moins`)
	// wholePattern has a number that something has, and none that is added.
	wholePattern = words(`(?:board|field|grid|well|brett|feld|tablero|grille|waves?|wall) (?:with|of|mit|von|con|de|avec)`, `more than`, `mehr als`, `m[aá]s de`, `plus de \d+`)
	// fullPattern would have no more of something, or none: it may mean either.
	fullPattern  = words(`no more`, `keine (?:mehr|weiteren)`, `no m[aá]s`)
	minusPattern = words(`less`, `fewer`, `remove`, `weniger`, `entferne`, `menos`, `quita`, `(?:de|en) moins`, `enlève[rz]?`)
)

// parameters sets the mechanic's own tunables: "10 pairs", "without walls".
func parameters(s *spec.Spec, c clause) result {
	var all results
	found := c.reading.Params(s.Mechanic)
	if list := c.reading.Content.Tables; len(list) > 0 && len(c.reading.Content.For(s.Mechanic)) > 0 {
		s.Content, s.Params = list, with(s.Params, "table", 0)
		delete(found, "table")
		all.add(done("tables: %s", strings.Join(list, ", ")))
	}
	if c.wants(&challenge) != 0 { // "too hard" is no wish for a hard one
		for _, name := range levelOfPlay {
			delete(found, name)
		}
	}
	for _, name := range slices.Sorted(keysOf(found)) {
		if p := catalog.Mechanics[s.Mechanic].Params[name]; fullPattern.MatchString(c.text) && c.reading.Number(p) == 0 && (len(p.Units) > 0 || found[name] > paramOf(*s, name, p)) {
			all.add(bound("say how many there are to be"))
			continue
		}
		all.add(setParam(s, name, relative(*s, c, name, found[name])))
	}
	if len(found) == 0 && opponentPattern.MatchString(c.text) && levelParam(*s) != "" {
		switch {
		case smarterPattern.MatchString(c.text):
			all.add(harder(s, c, 1))
		case dumberPattern.MatchString(c.text):
			all.add(harder(s, c, -1))
		}
	}
	if len(all.did)+len(all.unmet) == 0 {
		if r := counted(s, c); r != (result{}) {
			all.add(r)
		}
	}
	if len(all.did)+len(all.unmet) == 0 {
		return result{}
	}
	r := list(append(all.did, all.unmet...)...)
	r.tuned = true
	return r
}

// relative is what a tunable comes to of which a clause says how many more or fewer there
// are to be: "two columns more", "more columns". Of words that set a value, it is that, as
// it is where the game chooses the number so far; but "a bigger board" is never a smaller one.
func relative(s spec.Spec, c clause, name string, v float64) float64 {
	p := catalog.Mechanics[s.Mechanic].Params[name]
	now, by := paramOf(s, name, p), c.reading.Number(p)
	switch {
	case bounding(c.text):
		if least := leastPattern.MatchString(c.text); now != 0 && least == (now >= v) {
			return now
		}
	case now == 0 || wholePattern.MatchString(c.text):
	case len(p.Units) == 0:
		if way := float64(c.direction()); way*(v-now) < 0 {
			return now + way*notch(p)
		}
	case by == 0 && c.direction() != 0:
		return now + float64(c.direction())*notch(p)
	case plusPattern.MatchString(c.text):
		return now + by
	case minusPattern.MatchString(c.text):
		return now - by
	}
	return v
}

// bounding reports whether a number in a text is the most or the least that there may be.
func bounding(text string) bool {
	return mostPattern.MatchString(text) || leastPattern.MatchString(text)
}

// notch is by how much a tunable goes up or down where nothing says by how much.
func notch(p catalog.Param) float64 { return max(1, math.Round((p.Max-p.Min)/8)) }

// direction is whether a clause would have a tunable go up, 1, or down, -1.
func (c clause) direction() int {
	switch way := c.growth(); {
	case way != 0:
		return way
	case minusPattern.MatchString(c.text):
		return -1
	case plusPattern.MatchString(c.text):
		return 1
	}
	return 0
}

var (
	longerPattern  = words(`longer`, `broader`, `taller`, `higher`, `too (?:short|narrow|tight|thin|low)`, `länger(?:e[snmr]?)?`, `weiter(?:e[snmr]?)?`, `höher(?:e[snmr]?)?`, `zu (?:kurz|eng|schmal|niedrig)`, `m[aá]s (?:larg|alt)[oa]s?`, `demasiado (?:cort|estrech|pequeñ|baj)[oa]s?`, `plus (?:long(?:ue)?|haute?)s?`, `trop (?:courte?|étroite?|petite?|basse?)s?`)
	shorterPattern = words(`shorter`, `tighter`, `slimmer`, `lower`, `too (?:long|wide|broad|tall|high)`, `kürzer(?:e[snmr]?)?`, `niedriger(?:e[snmr]?)?`, `zu (?:lang|breit|weit|hoch)`, `m[aá]s (?:cort|baj)[oa]s?`, `demasiado (?:larg|anch|alt)[oa]s?`, `demasiado grandes?`, `plus (?:courte?|basse?)s?`, `trop (?:long(?:ue)?|large|grande?|haute?)s?`)
)

// growth is whether a clause would have something larger, 1, or smaller, -1.
func (c clause) growth() int {
	switch {
	case smallerPattern.MatchString(c.text), narrowerPattern.MatchString(c.text), shorterPattern.MatchString(c.text):
		return -1
	case biggerPattern.MatchString(c.text), widerPattern.MatchString(c.text), longerPattern.MatchString(c.text):
		return 1
	}
	return 0
}

// countless is the most that a tunable may be to be counted up and down.
const countless = 1000

// counted changes what a tunable counts by some: "fewer pairs", "a wider board". One
// whose usual value is 0 leaves the number to the game.
func counted(s *spec.Spec, c clause) result {
	params := catalog.Mechanics[s.Mechanic].Params
	for _, name := range slices.Sorted(keysOf(params)) {
		p := params[name]
		now := paramOf(*s, name, p)
		way := c.amount()
		switch {
		case p.Board && boardPattern.MatchString(c.text), c.reading.Names(p.Sized):
			way = cmp.Or(c.growth(), way)
		case !c.reading.Names(p.Units):
			continue
		}
		if way == 0 || now == 0 || p.Max > countless {
			continue
		}
		by := notch(p)
		return setParam(s, name, now+float64(way)*step(c, 1, by, 2*by))
	}
	return result{}
}

// paramOf is what a tunable of the mechanic's own has in a game.
func paramOf(s spec.Spec, name string, p catalog.Param) float64 {
	if v, given := s.Params[name]; given {
		return v
	}
	return p.Value
}

// setParam gives such a tunable a value within its bounds.
func setParam(s *spec.Spec, name string, v float64) result {
	p := catalog.Mechanics[s.Mechanic].Params[name]
	old, least := paramOf(*s, name, p), p.Min
	if p.Value == 0 && len(p.Units) > 0 {
		least = max(1, least) // 0 leaves the number to the game
	}
	if v = min(max(v, least), p.Max); v == old {
		return bound("%s is %s already; it can be %s to %s", name, number(old), number(least), number(p.Max))
	}
	s.Params = with(s.Params, name, v)
	return done("%s %s → %s", name, number(old), number(v))
}

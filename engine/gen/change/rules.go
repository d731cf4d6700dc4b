package change

import (
	"regexp"
	"strconv"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

var (
	droppedPattern = regexp.MustCompile(`\b(?:drop|delete|get rid of|no more|entferne|ohne|quita|elimina|enl(?:è|e)ve|supprime)\b`)
	onePattern     = regexp.MustCompile(`\b(?:(?:single|one|1)[\s-]player|(?:against|versus|vs\.?|gegen|contra|contre) (?:the |an? |den |la |el |l[\x27’])?(?:computer|cpu|ai|bot|ki|ordenador|computadora|máquina|ordinateur|machine))\b`)
)

// bossPattern says something of a boss and asks for none.
var bossPattern = words(`(?:the|this|der|el|le) (?:boss|endgegner|jefe) (?:is|takes|dies|moves|ist|dauert|stirbt|es|tarda|est|met)`)

// rerender swaps the renderer.
func rerender(s *spec.Spec, c clause) result {
	asked := c.reading.Rules.Renderer
	switch {
	case asked == "":
		return result{}
	case asked == s.Renderer:
		return bound("the renderer is %s already", asked)
	case brief.RendererFor(s.Mechanic, asked) != asked:
		return bound("%s can't show this kind of game", asked)
	}
	old := s.Renderer
	s.Renderer = asked
	return done("renderer %s → %s", old, asked)
}

// rules changes levels, players, the boss and their like.
func rules(s *spec.Spec, c clause) result {
	var all results
	wish := c.reading.Rules
	if removes(c) { // "remove the boss"
		wish = refused(wish)
	}
	own := c.reading.LevelsOf(s.Mechanic)
	if n := moreLevels(c); n > 0 && !removes(c) && (own > 0 || wish.Levels == 0) {
		all.add(count("levels", &s.Play.Levels, min(s.Play.Levels+n, spec.MaxLevels)))
	} else if n := min(wish.Levels, own); n > 0 {
		all.add(count("levels", &s.Play.Levels, n))
	} else if onePattern.MatchString(c.text) && s.Play.Players > 1 {
		all.add(count("players", &s.Play.Players, 1))
	}
	if n := wish.Players; n > 0 {
		all.add(count("players", &s.Play.Players, n))
	}
	for _, sw := range []struct {
		name   string
		field  *bool
		wanted bool
		named  bool
	}{
		{"a boss at the end", &s.Play.Boss, wish.Boss == brief.Wanted, wish.Boss != brief.Unnamed},
		{"power-ups", &s.Play.Powers, wish.Powers == brief.Wanted, wish.Powers != brief.Unnamed},
		{"combos", &s.Play.Combo, wish.Combo == brief.Wanted, wish.Combo != brief.Unnamed},
	} {
		if sw.named && !(sw.field == &s.Play.Boss && bossPattern.MatchString(c.text)) {
			all.add(toggle(sw.name, sw.field, sw.wanted))
		}
	}
	if wish.Sound != brief.Unnamed && (wish.Sound == brief.Wanted) != s.Sound {
		all.add(bound("sound is switched by settings.aiAudio"))
	}
	if wish.Solid || wish.Flat {
		all.add(bound("2D or 3D is chosen by settings.dimensionMode"))
	}
	if ramp, ok := c.reading.Factors["ramp"]; ok && wish.Levels == 0 && speedsUp(c) {
		all.add(scale(s, "how much harder it gets", &s.Play.Ramp, ramp))
	}
	switch {
	case len(all.did) > 0:
		return list(append(all.did, all.unmet...)...)
	case len(all.unmet) > 0:
		return list(all.unmet...)
	}
	return result{}
}

var (
	levelPattern   = words(`levels?`, `stages?`, `stufen?`, `niveles`, `nivel`, `niveaux?`)
	anotherPattern = words(`another`, `an extra`, `one more`, `(?:noch )?ein(?:en)? weitere[sn]?`, `noch ein(?:en)?`, `otro`, `un nivel más`, `encore un`, `un niveau de plus`)
)

// moreLevels is how many levels a clause adds to those that there are.
func moreLevels(c clause) int {
	if bounding(c.text) || !levelPattern.MatchString(c.text) || !morePattern.MatchString(c.text) || onlyPattern.MatchString(c.text) {
		return 0
	}
	if anotherPattern.MatchString(c.text) {
		return 1
	}
	for _, word := range wordPattern.FindAllString(c.text, -1) {
		if n, err := strconv.Atoi(word); err == nil {
			return n
		}
		if n := ordinals[word]; n > 0 {
			return n
		}
	}
	return 0
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

func speedsUp(c clause) bool {
	for _, why := range c.reading.Because {
		if why.Word == "faster and faster" {
			return true
		}
	}
	return false
}

func removes(c clause) bool {
	return !bounding(c.text) && (lessPattern.MatchString(c.text) || droppedPattern.MatchString(c.text))
}

// refused turns each thing that is named into one that is not wanted.
func refused(r brief.Rules) brief.Rules {
	for _, w := range []*brief.Wish{&r.Boss, &r.Powers, &r.Combo, &r.Sound} {
		if *w == brief.Wanted {
			*w = brief.Refused
		}
	}
	r.Levels, r.Players = min(r.Levels, 1), min(r.Players, 1)
	return r
}

func count(name string, field *int, n int) result {
	if *field == n {
		return bound("there are %d %s already", n, name)
	}
	old := *field
	*field = n
	return done("%s %d → %d", name, old, n)
}

func toggle(name string, field *bool, wanted bool) result {
	if *field == wanted {
		if wanted {
			return bound("there is %s already", name)
		}
		return bound("there is no such thing as %s to remove", name)
	}
	*field = wanted
	return done("%s: %s", name, map[bool]string{true: "added", false: "removed"}[wanted])
}

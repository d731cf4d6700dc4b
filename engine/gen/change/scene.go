package change

import (
	"fmt"
	"regexp"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

var (
	hazardPattern = words(`enem(?:y|ies)`, `obstacles?`, `hazards?`, `gegner`, `feinde?`, `hindernisse?`, `enemig[oa]s?`, `obstáculos?`, `ennemis?`)
	pickupPattern = words(`pickups?`, `collectibles?`, `coins?`, `items?`, `rewards?`, `points`, `münzen?`, `monedas?`, `pièces?`)
	darkerPattern = words(`dark(?:er)?`, `night mode`, `at night`, `nachts?`, `dunk(?:el|ler|les)`, `de noche`, `por la noche`, `m[aá]s oscur[oa]`, `de nuit`, `la nuit`, `plus sombre`)
	lightPattern  = words(`lighter`, `brighter`, `heller`, `más clar[oa]`, `plus claire?`)
	placePattern  = words(`in(?:to)?`, `on`, `at`, `to`, `under`, `scenery`, `place`, `im`, `ins?`, `am`, `auf`, `unter`, `en`, `al`, `a la`, `bajo`, `dans`, `sur`, `au`, `à`, `sous`)
	worthPattern  = words(`worth`, `\d+ points? (?:for|per|each)`, `\d+ punkte (?:für|pro|wert)`, `wert`, `\d+ puntos (?:por|cada)`, `vale`, `\d+ points (?:pour|par)`, `vaut`)
	resetPattern  = regexp.MustCompile(`\b(?:original|normal|default) colou?rs?\b`)
)

func retitle(s *spec.Spec, c clause) result {
	if c.reading.Title == "" {
		return result{}
	}
	if c.reading.Title == s.Title {
		return bound("the title is %q already", s.Title)
	}
	old := s.Title
	s.Title = c.reading.Title
	return done("title %q → %q", old, s.Title)
}

// swapMechanic keeps cast, colours, title and tunables.
func swapMechanic(s *spec.Spec, c clause) result {
	if !becomePattern.MatchString(c.text) || declines(*s, c) {
		return result{}
	}
	// A game is replaced by one that is named, or where a game is asked for.
	best, weight := "", catalog.Named-0.1
	if gamePattern.MatchString(thisGame.ReplaceAllString(c.text, " ")) {
		weight = 2.9
	}
	absent := c.reading.Missing
	near := catalog.Missings[absent].Near
	for _, name := range catalog.Names() {
		w := c.reading.Mechanics[name]
		if name == near {
			w -= catalog.Named // which the absent one gave it
		}
		if w > weight {
			best, weight = name, w
		}
	}
	switch {
	case best == "" && absent != "":
		return result{unmet: "there is no such game here; the nearest is " + brief.Article(near+" game"), alone: true}
	case best == "":
		return result{}
	case best == s.Mechanic:
		return bound("it is %s already", brief.Article(best+" game"))
	}
	o := brief.Order{Format: s.Format, Solid: catalog.Mechanics[s.Mechanic].Solid}
	next := fitting(best, o)
	if next == s.Mechanic {
		return bound("%s does not go with the project's settings", best)
	}
	old := s.Mechanic
	*s = Mechanic(*s, next)
	return done("the mechanic %s → %s", old, next)
}

// Mechanic returns s with another mechanic, its instructions, and a renderer
// that can show it; everything else stays. A game that had the usual number of
// levels gets the new mechanic's.
func Mechanic(s spec.Spec, name string) spec.Spec {
	before, after := catalog.Usual(s.Mechanic, s.Format), catalog.Usual(name, s.Format)
	if s.Play.Levels == before.Levels {
		s.Play.Levels = after.Levels
	}
	s.Mechanic, s.Params, s.Content = name, catalog.Params(name), nil
	s.Renderer = brief.RendererFor(name, s.Renderer)
	s.Text.HowTo = brief.HowTo(s)
	return s
}

// recast swaps a figure: "change the duck to a cat", "make the hero a robot".
func recast(s *spec.Spec, c clause) result {
	if !arePattern.MatchString(c.text) && (!swapPattern.MatchString(c.text) || !intoPattern.MatchString(c.text)) {
		return result{}
	}
	fresh := ""
	role := roleOf(*s, c)
	for _, noun := range c.reading.Nouns {
		if noun != "enemy" && noun != s.Cast.Hero.Noun && noun != s.Cast.Hazard.Noun && noun != s.Cast.Pickup.Noun {
			fresh = noun
		}
	}
	if fresh == "" && circlePattern.MatchString(c.text) {
		fresh = "ball"
	}
	if fresh == "" || role == "" {
		return result{}
	}
	return done("%s", brief.Replace(s, role, fresh))
}

// roleOf finds whose place the clause is about.
func roleOf(s spec.Spec, c clause) string {
	switch {
	case c.names(s.Cast.Hero.Noun) || heroPattern.MatchString(c.text):
		return "hero"
	case c.names(s.Cast.Hazard.Noun) || hazardPattern.MatchString(c.text):
		return "hazard"
	case c.names(s.Cast.Pickup.Noun) || pickupPattern.MatchString(c.text):
		return "pickup"
	}
	return ""
}

// retheme moves the game to another place; its figures stay.
func retheme(s *spec.Spec, c clause) result {
	theme := c.reading.Theme
	sized := biggerPattern.MatchString(c.text) || smallerPattern.MatchString(c.text) || c.amount() != 0
	if theme == "" || (sized || c.tuned) && !placePattern.MatchString(c.text) || dullPattern.MatchString(c.text) { // "a bigger field" is no farm, "the sky is dull" no wish
		return result{}
	}
	scene := brief.Scene(theme, c.reading.Places)
	if theme == s.Theme && (len(c.reading.Places) == 0 || scene == s.Scene) {
		return bound("the theme is %s already", theme)
	}
	old := s.Theme
	s.Theme, s.Scene = theme, scene
	s.Look.Tint = ""
	s.Palette = look.Palette(look.Themes[theme], s.Look)
	return done("theme %s → %s", old, theme)
}

func recolor(s *spec.Spec, c clause) result {
	old := s.Look
	wish := c.reading.Look
	switch {
	case worthPattern.MatchString(c.text): // "a golden one is worth 100 points"
		return result{}
	case resetPattern.MatchString(c.text):
		s.Look.Mood, s.Look.Tint = "", ""
	case moodOf(c) != "":
		s.Look.Mood = moodOf(c)
	}
	color := firstOf(wish.Tint, wish.Hero, wish.Hazard, wish.Pickup)
	if color != "" && lessPattern.MatchString(c.text) {
		s.Look = old
		return bound("a colour can't be taken away; name the one to use instead")
	}
	if color != "" {
		switch roleOf(*s, c) {
		case "hero":
			s.Look.Hero, s.Look.Hero2 = color, ""
		case "hazard":
			s.Look.Hazard = color
		case "pickup":
			s.Look.Pickup = color
		default:
			s.Look.Tint = color
		}
	}
	if s.Look == old {
		if color != "" || moodOf(c) != "" {
			return bound("the colours are like that already")
		}
		return result{}
	}
	s.Palette = look.Palette(look.Themes[s.Theme], s.Look)
	return done("colours: %s", describe(old, s.Look))
}

// moodOf is the mood that a clause names, "" for none.
func moodOf(c clause) string {
	switch {
	case darkerPattern.MatchString(c.text):
		return "dark"
	case lightPattern.MatchString(c.text):
		return "bright"
	}
	return c.reading.Look.Mood
}

func describe(old, now spec.Look) string {
	for _, d := range []struct{ name, old, now string }{
		{"mood", old.Mood, now.Mood}, {"scene", old.Tint, now.Tint}, {"hero", old.Hero, now.Hero},
		{"hazards", old.Hazard, now.Hazard}, {"pickups", old.Pickup, now.Pickup},
	} {
		if d.old != d.now {
			return fmt.Sprintf("%s %s → %s", d.name, firstOf(d.old, "as the theme"), firstOf(d.now, "as the theme"))
		}
	}
	return "hero"
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

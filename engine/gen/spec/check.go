package spec

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of the tunables.
const (
	MinFactor   = 0.5
	MaxFactor   = 2.0
	MinSize     = 0.6
	MaxSize     = 1.6
	MaxRamp     = 2.0
	MinLives    = 1
	MaxLives    = 5
	MinDuration = 15 // seconds, of a short game
	MaxDuration = 60
	MaxLong     = 600 // seconds, of a platform game
	MaxLevels   = 9
	MaxPlayers  = 2
	MaxTitle    = 40  // characters
	MaxText     = 160 // characters of a text on the screen
	MaxContent  = 60  // words or questions
)

var (
	colorPattern = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	namePattern  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
)

// Clamped returns p with each value moved into its bounds in a format.
func (p Play) Clamped(f Format) Play {
	p.Speed = clamp(p.Speed, MinFactor, MaxFactor)
	p.Gravity = clamp(p.Gravity, MinFactor, MaxFactor)
	p.Density = clamp(p.Density, MinFactor, MaxFactor)
	p.Size = clamp(p.Size, MinSize, MaxSize)
	p.Ramp = clamp(p.Ramp, 0, MaxRamp)
	p.Lives = clamp(p.Lives, MinLives, MaxLives)
	switch {
	case f == Short:
		p.Duration = clamp(p.Duration, MinDuration, MaxDuration)
	case p.Duration != 0:
		p.Duration = clamp(p.Duration, MinDuration, MaxLong)
	}
	p.Levels = clamp(p.Levels, 1, MaxLevels)
	p.Players = clamp(p.Players, 1, MaxPlayers)
	return p
}

// Rounded returns p with its factors rounded to two places.
func (p Play) Rounded() Play {
	for _, f := range []*float64{&p.Speed, &p.Gravity, &p.Density, &p.Size, &p.Ramp} {
		*f = math.Round(*f*100) / 100
	}
	return p
}

// Check returns the first thing that makes s no game.
func (s Spec) Check() error {
	if s.Version != Version {
		return fmt.Errorf("version is %d; this program reads %d", s.Version, Version)
	}
	if s.Title == "" || utf8.RuneCountInString(s.Title) > MaxTitle || strings.ContainsAny(s.Title, "<>\n") {
		return fmt.Errorf("title must have 1 to %d characters and no markup", MaxTitle)
	}
	if s.Format != Short && s.Format != Platform {
		return fmt.Errorf("format is %q; it must be short or platform", s.Format)
	}
	if s.Art != Placeholder && s.Art != Procedural {
		return fmt.Errorf("art is %q; it must be placeholder or procedural", s.Art)
	}
	if s.Play != s.Play.Clamped(s.Format) {
		return fmt.Errorf("play has a value out of bounds: %+v", s.Play)
	}
	names := []string{s.Mechanic, s.Theme, s.Renderer, s.Scene.Far, s.Scene.Near, s.Scene.Orb, s.Scene.Motes.Kind, s.Scene.Motes.Move}
	cast := []Actor{s.Cast.Hero, s.Cast.Hazard, s.Cast.Pickup}
	if s.Cast.Boss != nil {
		cast = append(cast, *s.Cast.Boss)
	}
	for _, a := range cast {
		for _, c := range []string{a.Color, a.Color2} {
			if c != "" && !colorPattern.MatchString(c) {
				return fmt.Errorf("the colour %q of %s is no #rrggbb", c, a.Noun)
			}
		}
		if (a.Body == "") == (a.Art == "") {
			return fmt.Errorf("actor %q must have either a body or art", a.Noun)
		}
		names = append(append(names, a.Body+a.Art), a.Features...)
	}
	for _, name := range names {
		if !namePattern.MatchString(name) {
			return fmt.Errorf("%q is no name", name)
		}
	}
	if len(s.Content) > MaxContent {
		return fmt.Errorf("content has %d entries; %d are the most", len(s.Content), MaxContent)
	}
	for _, c := range s.Content {
		if c == "" || utf8.RuneCountInString(c) > MaxText || strings.ContainsAny(c, "<>\n") {
			return fmt.Errorf("content must have 1 to %d characters and no markup", MaxText)
		}
	}
	for _, st := range s.Stages {
		if st.Level < 1 || st.Level > MaxLevels || (st.Theme != "") != (st.Scene != nil && st.Palette != nil) {
			return fmt.Errorf("stage %d: a level is 1 to %d, and a theme has a scene and a palette", st.Level, MaxLevels)
		}
		for _, f := range []float64{st.Speed, st.Density} {
			if f != 0 && f != clamp(f, MinFactor, MaxFactor) {
				return fmt.Errorf("stage %d has a factor out of bounds: %v", st.Level, f)
			}
		}
	}
	texts := reflect.ValueOf(s.Text)
	for i := range texts.NumField() {
		name := texts.Type().Field(i).Tag.Get("json")
		if t := texts.Field(i).String(); t == "" || utf8.RuneCountInString(t) > MaxText || strings.ContainsAny(t, "<>\n") {
			return fmt.Errorf("text.%s must have 1 to %d characters and no markup", name, MaxText)
		}
	}
	colors := reflect.ValueOf(s.Palette)
	for i := range colors.NumField() {
		if c := colors.Field(i).String(); !colorPattern.MatchString(c) {
			return fmt.Errorf("palette.%s is %q, which is no #rrggbb", colors.Type().Field(i).Tag.Get("json"), c)
		}
	}
	return nil
}

func clamp[T int | float64](v, low, high T) T { return max(low, min(high, v)) }

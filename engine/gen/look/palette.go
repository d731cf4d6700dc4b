package look

import (
	"cmp"
	"slices"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Least contrasts, as WCAG counts them.
const (
	TextContrast   = 4.5
	FigureContrast = 3.0
)

// Moods are the names that spec.Look.Mood may have.
var Moods = []string{"dark", "bright", "pastel", "neon"}

// Palette returns the colours of a theme under a wish. Text is readable on
// its outline and panel, and the outline of every figure, whatever its own
// colour, stands out from the sky.
func Palette(t Theme, c spec.Look) spec.Palette {
	p := spec.Palette{
		BG: t.BG, BG2: t.BG2, Far: t.Far, Near: t.Near, Ground: t.Ground, Block: t.Block, Accent: t.Accent,
		Hero: cmp.Or(c.Hero, t.HeroColor), Hazard: cmp.Or(c.Hazard, t.HazardColor), Pickup: cmp.Or(c.Pickup, t.PickupColor),
	}
	scenery := []*string{&p.BG, &p.BG2, &p.Far, &p.Near, &p.Ground, &p.Block}
	if c.Tint != "" {
		for i, s := range scenery {
			*s = tint(*s, c.Tint, []float64{0.62, 0.42, 0.6, 0.6, 0.35, 0.5}[i])
		}
		p.Accent = Mix(c.Tint, "#ffffff", 0.1)
	}
	if slices.Contains(Moods, c.Mood) {
		for _, s := range scenery {
			*s = moods[c.Mood](*s)
		}
	}
	p.GroundTop = Mix(p.Ground, "#ffffff", 0.3)
	p.BlockLight = Mix(p.Block, "#ffffff", 0.45)
	p.Hero2 = cmp.Or(c.Hero2, Mix(p.Hero, "#ffffff", 0.6))
	if parse(p.Hero).luminance() > 0.6 {
		p.Hero2 = cmp.Or(c.Hero2, Mix(p.Hero, p.Accent, 0.5))
	}
	if distance(p.Hero, p.Hazard) < 0.25 {
		p.Hazard = Mix(p.Hazard, "#000000", 0.45)
	}
	if distance(p.Hero, p.Hazard) < 0.25 {
		p.Hazard = Mix(p.Hazard, "#d00035", 0.6)
	}
	if distance(p.Pickup, p.Hazard) < 0.25 {
		p.Pickup = Mix(p.Pickup, "#ffe14d", 0.8)
	}
	middle := Mix(p.BG, p.BG2, 0.5)
	ink := Mix(p.BG, "#120a20", 0.86)
	if parse(middle).luminance() < 0.12 {
		ink = Mix(middle, "#ffffff", 0.82) // a dark sky takes light outlines
	}
	p.Ink = distinct(ink, FigureContrast, p.BG, middle)
	p.Shade = Mix(p.BG, "#0c0716", 0.92)
	p.Text = "#ffffff"
	p.TextInk = distinct(Mix(p.BG, "#120a20", 0.82), TextContrast+1, p.Text)
	p.Accent = distinct(p.Accent, FigureContrast, p.TextInk)
	p.Panel = "#fffaf0"
	p.PanelText = distinct(Mix(p.BG, "#1c1230", 0.8), TextContrast+1, p.Panel)
	p.PanelAccent = distinct(p.Accent, TextContrast, p.Panel)
	return p
}

var moods = map[string]func(string) string{
	"dark":   func(c string) string { return Mix(c, "#0b0a1a", 0.68) },
	"bright": func(c string) string { return Mix(saturated(c, 1.25), "#ffffff", 0.12) },
	"pastel": func(c string) string { return Mix(c, "#ffffff", 0.45) },
	"neon":   func(c string) string { return Mix(saturated(c, 1.8), "#0d0221", 0.62) },
}

// tint moves a colour towards another while keeping its own lightness.
func tint(c, to string, k float64) string {
	m := Mix(c, to, k)
	was, is := parse(c).luminance(), parse(m).luminance()
	if is < was {
		return Mix(m, "#ffffff", (was-is)*0.6)
	}
	return Mix(m, "#000000", (is-was)*0.6)
}

func saturated(hex string, k float64) string {
	c := parse(hex)
	grey := (c[0] + c[1] + c[2]) / 3
	for i := range c {
		c[i] = grey + (c[i]-grey)*k
	}
	return c.hex()
}

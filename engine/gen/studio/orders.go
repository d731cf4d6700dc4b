package studio

import (
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// views are how a mechanic shows its hero, where that is not from the side.
var views = map[string]string{
	"lane": "seen straight from above, its front pointing up", "asteroids": "seen straight from above, its front pointing up",
	"crossing": "seen straight from above, its front pointing up", "formation": "seen straight from above, its front pointing up",
	"drive3d": "seen straight from behind",
}

// Pictures are what an image model is asked for a game: its background, and who
// is in it. The words are the generator's own, of the spec alone.
func Pictures(s spec.Spec, art string) []Order {
	w, h := catalog.Field(s)
	view := views[s.Mechanic]
	if view == "" {
		view = "seen from the side, facing right"
	}
	p := s.Palette
	figure := func(name, noun, role, view, colour string) Order {
		return Order{Name: name, Kind: Figure, Prompt: fmt.Sprintf(
			"A single %s, %s of a browser game, %s. Style: %s. Main colour %s, outlines %s. Whole, centred, alone, filling the picture, on a plain transparent background. No text, no frame, no shadow on the ground.",
			noun, role, view, art, colour, p.Ink)}
	}
	return []Order{
		{Name: "background", Kind: Background, W: w, H: h, Prompt: fmt.Sprintf(
			"Background of a browser game that is set in: %s. Style: %s%s. Colours from %s at the top to %s at the bottom, with %s. Calm and of little contrast, so that figures stand out. No figures, no text, no frame.",
			place(s.Theme), art, moody(s.Look.Mood), p.BG, p.BG2, p.Far)},
		figure("hero", s.Cast.Hero.Noun, "the hero", view, p.Hero),
		figure("hazard", s.Cast.Hazard.Noun, "something to avoid", "seen from the side", p.Hazard),
		figure("pickup", s.Cast.Pickup.Noun, "something to collect", "seen from the side", p.Pickup),
	}
}

// recorded are the sounds that a model is asked for. The others are heard so
// often, or are so short, that the generator's own do.
var recorded = []struct {
	name, what string
	kind       Kind
}{
	{"music", "Background music for a browser game: an instrumental loop of ten seconds, without a voice", Music},
	{"score", "Sound effect of half a second, without a voice: a bright chime for a point", Effect},
	{"hurt", "Sound effect of half a second, without a voice: a dull hit", Effect},
	{"over", "Sound effect of one second, without a voice: falling tones, the game is lost", Effect},
	{"win", "Sound effect of one second, without a voice: a short fanfare, the game is won", Effect},
}

// Sounds are what an audio model is asked for a game.
func Sounds(s spec.Spec) []Order {
	var out []Order
	for _, r := range recorded {
		out = append(out, Order{Name: r.name, Kind: r.kind, Prompt: fmt.Sprintf("%s. The game is set in: %s%s.", r.what, place(s.Theme), moody(s.Look.Mood))})
	}
	return out
}

// place is a theme in words.
func place(theme string) string { return strings.ReplaceAll(theme, "_", " ") }

func moody(mood string) string {
	if mood == "" {
		return ""
	}
	return ", in a " + mood + " mood"
}

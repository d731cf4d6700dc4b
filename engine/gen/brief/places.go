package brief

import (
	"slices"

	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// places are words of themes that name a thing which no picture of the theme
// shows.
var places = map[string]string{
	"castle": "castle", "burg": "castle", "schloss": "castle", "castillo": "castle", "chateau": "castle",
	"river": "river", "fluss": "river", "rio": "river", "riviere": "river", "lake": "lake", "lago": "lake", "lac": "lake",
	"pyramid": "pyramid", "pyramide": "pyramid", "pyramiden": "pyramid", "piramide": "pyramid",
	"barn": "barn", "scheune": "barn", "granero": "barn", "grange": "barn", "rainbow": "rainbow", "regenbogen": "rainbow",
	"island": "island", "insel": "island", "isla": "island", "ile": "island",
	"kitchen": "kitchen", "bakery": "bakery", "aquarium": "aquarium",
}

// landmarks are those of them that the kit can paint behind a theme.
var landmarks = []string{"castle", "river", "lake", "pyramid", "barn", "rainbow", "island"}

// Scene is a theme's scenery with the first of the places that can be painted.
func Scene(theme string, places []string) spec.Scene {
	scene := look.Themes[theme].Scene
	for _, place := range places {
		if !slices.Contains(landmarks, place) {
			continue
		}
		scene.Far = place
		if place == "castle" && scene.Near == "graves" {
			scene.Near = "trees"
		}
		if place == "island" {
			scene.Near = "waves"
		}
		break
	}
	return scene
}

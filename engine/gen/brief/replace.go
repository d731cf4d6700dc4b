package brief

import (
	"fmt"

	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Replace puts a noun of the lexicon into a role ("hero", "hazard" or
// "pickup") of a game and says what it replaced. The figure brings its own
// colours.
func Replace(s *spec.Spec, role, noun string) string {
	var old string
	switch role {
	case "hero":
		old = s.Cast.Hero.Noun
		s.Look.Hero, s.Look.Hero2 = "", ""
		s.Cast.Hero, s.Look = SetHero(noun, s.Look)
	case "hazard":
		old = s.Cast.Hazard.Noun
		s.Cast.Hazard, s.Look.Hazard = castAs(role, noun, "")
	case "pickup":
		old = s.Cast.Pickup.Noun
		s.Cast.Pickup, s.Look.Pickup = castAs(role, noun, "")
	}
	s.Palette = look.Palette(look.Themes[s.Theme], s.Look)
	s.Text.HowTo = HowTo(*s)
	return fmt.Sprintf("%s: %s → %s", role, old, noun)
}

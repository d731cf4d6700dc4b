package change

import (
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

// boss says who comes at the end: "make the boss a red dragon".
func boss(s *spec.Spec, c clause) result {
	noun, color := c.reading.Boss, c.reading.Look.Boss
	if noun == "" && color == "" || removes(c) {
		return result{}
	}
	old := "one of the " + s.Cast.Hazard.Noun
	if s.Cast.Boss != nil {
		old = s.Cast.Boss.Noun
	}
	brief.SetBoss(s, noun, color)
	s.Play.Boss = true
	if s.Cast.Boss.Noun == old {
		return done("the boss's colour is %s", color)
	}
	return done("the boss: %s → %s", old, s.Cast.Boss.Noun)
}

package change

import (
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Standing gives a game what a text in the background names: its place, colours,
// figures, lives and length. It says what it changed.
func Standing(s *spec.Spec, r brief.Reading) (did []string) {
	r.Look.Boss = ""
	c := clause{reading: r}
	for _, r := range []result{retheme(s, c), recolor(s, c)} {
		if r.did != "" {
			did = append(did, r.did)
		}
	}
	for _, figure := range []struct{ role, is, want string }{
		{"hero", s.Cast.Hero.Noun, r.Hero}, {"hazard", s.Cast.Hazard.Noun, r.Hazard}, {"pickup", s.Cast.Pickup.Noun, r.Pickup},
	} {
		if figure.want != "" && figure.want != figure.is {
			did = append(did, brief.Replace(s, figure.role, figure.want))
		}
	}
	if r.Lives > 0 && r.Lives != s.Play.Lives {
		did = append(did, count("lives", &s.Play.Lives, r.Lives).did)
	}
	if r.Seconds > 0 && r.Seconds != s.Play.Duration {
		old := s.Play.Duration
		s.Play.Duration = r.Seconds
		if s.Play = s.Play.Clamped(s.Format); s.Play.Duration != old {
			did = append(did, done("length of a run %s → %s", seconds(old), seconds(s.Play.Duration)).did)
		}
	}
	return did
}

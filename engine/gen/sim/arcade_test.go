package sim

import (
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// In a maze with a dot that can't be reached, or a wall with a brick that can't be
// hit, no one would come to the end of a level.
func TestWavesAreLevelsThatCanBeCleared(t *testing.T) {
	for _, mechanic := range []string{"asteroids", "bricks", "chase", "formation"} {
		play := catalog.Usual(mechanic, spec.Platform)
		play.Levels, play.Lives = 2, spec.MaxLives
		r, err := load(t, mechanic).Play(t.Context(), play, 3, Skilled, 240)
		if err != nil || r.Level != 2 || r.Outcome != "win" {
			t.Errorf("%s: two levels come to %+v, %v", mechanic, r, err)
		}
	}
}

func TestMatchThatTheClockEndsGoesToWhoLeads(t *testing.T) {
	g := load(t, "pong")
	for policy, want := range map[string]string{Skilled: "win", "idle": "lose"} {
		if r, err := g.Play(t.Context(), play(1, 1, 1, 1, 1, 3, 15), 3, policy, 20); err != nil || r.Outcome != want {
			t.Errorf("%s: %+v, %v", policy, r, err)
		}
	}
}

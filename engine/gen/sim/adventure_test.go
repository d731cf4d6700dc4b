package sim

import (
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// The map of an adventure is made by chance: its last room must be within reach.
func TestEveryAdventureCanBeWon(t *testing.T) {
	seeds := []uint32{1, 2}
	if long.Asked() {
		seeds = []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	}
	p := catalog.Usual("adventure", spec.Platform)
	p.Lives, p.Levels = spec.MaxLives, 2
	for _, seed := range seeds {
		r, err := load(t, "adventure").Play(t.Context(), p, seed, Skilled, 240)
		if err != nil || r.Outcome != "win" || r.Level != 2 {
			t.Errorf("seed %d: %+v (%v)", seed, r, err)
		}
	}
}

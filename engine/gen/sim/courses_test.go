package sim

import (
	"context"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Each hole, track, day and song of those kinds can be brought to its end.
func TestWhoPlaysWellWinsWithoutAClock(t *testing.T) {
	for _, mechanic := range []string{"golf", "racing", "fishing", "rhythm"} {
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			r, err := load(t, mechanic).Play(context.Background(), catalog.Usual(mechanic, spec.Platform), 3, Skilled, 240)
			if err != nil || r.Outcome != "win" {
				t.Errorf("it comes to %+v, %v", r, err)
			}
		})
	}
}

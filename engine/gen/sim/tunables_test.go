package sim

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// hardly are those at which little can be told in half a minute: a match of one point is
// over, and three-digit sums are done too slowly.
var hardly = map[string]bool{"pong/points 1": true, "clicker/goal 1": true, "stack/goal 1": true, "tower3d/goal 1": true, "chop/goal 1": true, "tables/table 20": true, "tables/max 100": true}

// TestEveryTunableOfAKindPlaysAtItsBounds: whatever a request sets, skill pays and idleness
// does not. Ways in which hazards move are all tried.
func TestEveryTunableOfAKindPlaysAtItsBounds(t *testing.T) {
	for mechanic, m := range catalog.Mechanics {
		for i, name := range slices.Sorted(maps.Keys(m.Params)) {
			p := m.Params[name]
			values := []float64{p.Min, p.Max}
			if p.Value == 0 && len(p.Units) > 0 { // 0 leaves the number to the game
				values[0] = max(1, p.Min)
			}
			if !long.Asked() { // of a kind one that is not usual, and the ways
				if values = slices.DeleteFunc(values, func(v float64) bool { return v == p.Value }); i > 0 {
					values = nil
				}
				values = values[max(0, len(values)-1):]
			}
			for n := range p.Ways {
				values = append(values, float64(n))
			}
			for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
				at := fmt.Sprintf("%s/%s %v", mechanic, name, v)
				if v == p.Value || hardly[at] { // as it usually is
					continue
				}
				t.Run(at, func(t *testing.T) {
					t.Parallel()
					format := spec.Short
					if m.Wide {
						format = spec.Platform
					}
					params := catalog.Params(mechanic)
					params[name] = v
					s := spec.Spec{Mechanic: mechanic, Format: format, Params: params}
					g, err := Load(t.Context(), s)
					if err != nil {
						t.Fatal(err)
					}
					verdict, err := g.Judge(t.Context(), catalog.Usual(mechanic, format), []uint32{11})
					if err != nil || !verdict.OK() {
						t.Errorf("%v, %v; %+v", err, verdict.Problems, verdict.Trials)
					}
				})
			}
		}
	}
}

func TestHazardsMoveInTheWaysThatTheyHave(t *testing.T) {
	for mechanic, m := range catalog.Mechanics {
		ways := m.Params["foes"].Ways
		if len(ways) == 0 {
			continue
		}
		t.Run(mechanic, func(t *testing.T) {
			t.Parallel()
			seen := map[string]string{}
			for n, way := range ways {
				var runs []Trial
				for _, seed := range []uint32{11, 12} {
					g, err := Load(t.Context(), spec.Spec{Mechanic: mechanic, Format: spec.Platform, Params: map[string]float64{"foes": float64(n)}})
					if err != nil {
						t.Fatal(err)
					}
					r, err := g.Play(t.Context(), catalog.Usual(mechanic, spec.Platform), seed, Skilled, 45)
					if err != nil {
						t.Fatal(err)
					}
					runs = append(runs, r)
				}
				run := fmt.Sprint(runs)
				if other := seen[run]; other != "" {
					t.Errorf("%s is played as %s: %s", way, other, run)
				}
				seen[run] = way
			}
		})
	}
}

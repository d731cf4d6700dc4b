package sim

import (
	"regexp"
	"testing"
)

func TestSumsAreOfTheTablesThatWereNamed(t *testing.T) {
	var sums []string
	asked(t, "tables", `Array.from({ length: 60 }, (_, seed) => m.create(seed, { lives: 3, levels: 1, duration: 45, density: 1, speed: 1, ramp: 1, params: {}, content: ['7', '8'], labels: {} }).sum)`, &sums)
	seen := map[string]bool{}
	table := regexp.MustCompile(`^(7|8) × \d+$|^\d+ × (7|8)$`)
	for _, sum := range sums {
		m := table.FindStringSubmatch(sum)
		if m == nil {
			t.Errorf("%q is of another table", sum)
			continue
		}
		seen[m[1]+m[2]] = true
	}
	if len(seen) != 2 {
		t.Errorf("of the tables, %v alone are asked", seen)
	}
}

package embedded

import "testing"

func TestGarbageIsBoundedByWhatLivesAndByASize(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 24 << 20: 400, 48 << 20: 200, 96 << 20: 100, 1 << 40: 100} {
		if got := gcPercent(live); got != want {
			t.Errorf("with %d MiB that live: %d %%, want %d", live>>20, got, want)
		}
	}
}

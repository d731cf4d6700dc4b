package embedded

import (
	"runtime/debug"
	"testing"
)

func TestGarbageIsBoundedByWhatLivesAndByASize(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 24 << 20: 400, 48 << 20: 200, 96 << 20: 100, 1 << 40: 100} {
		if got := gcPercent(live); got != want {
			t.Errorf("with %d MiB that live: %d %%, want %d", live>>20, got, want)
		}
	}
}

func TestAnIdleGatewayGivesBackWhatItNeededBefore(t *testing.T) {
	before := heap{live: 30 << 20, held: 120 << 20, allocated: 1 << 30}
	for name, tc := range map[string]struct {
		now  heap
		want bool
	}{
		"idle, with garbage":     {heap{30 << 20, 120 << 20, 1<<30 + 1<<20}, true},
		"idle, with none":        {heap{30 << 20, 40 << 20, 1<<30 + 1<<20}, false},
		"busy":                   {heap{30 << 20, 120 << 20, 1<<30 + 9<<20}, false},
		"idle, with much in use": {heap{110 << 20, 120 << 20, 1<<30 + 1<<20}, false},
	} {
		if got := tc.now.idleSince(before); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	waste := make([]byte, 64<<20)
	waste[0] = 1
	held := readHeap()
	debug.FreeOSMemory() // waste is used no more
	if freed := readHeap(); held.held < freed.held+32<<20 {
		t.Errorf("the heap held %d MiB, and %d MiB after what lay there was collected", held.held>>20, freed.held>>20)
	}
}

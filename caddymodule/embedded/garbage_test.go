package embedded

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGarbageIsBoundedByWhatLivesAndByASize(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 10 << 20: 400, 24 << 20: 400, 48 << 20: 200, 96 << 20: 100, 1 << 40: 100} {
		if got := gcPercent(live); got != want {
			t.Errorf("with %d MiB that live: %d %%, want %d", live>>20, got, want)
		}
	}
}

func TestThePercentageFollowsWhatLivesAndLeavesWhatTheOperatorSet(t *testing.T) {
	const limit, set = 3 << 30, 77
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	defer debug.SetGCPercent(debug.SetGCPercent(set))
	t.Setenv("GOGC", "77")
	tuneGC()
	if got := percentSet(); got != set {
		t.Errorf("with GOGC it is %d %%, want %d", got, set)
	}
	t.Setenv("GOGC", "")
	tuneGC()
	if got := percentSet(); got != mostPercent {
		t.Errorf("at first it is %d %%, want %d", got, mostPercent)
	}
	lives := make([]byte, garbage)
	for deadline := time.Now().Add(time.Minute); percentSet() != leastPercent; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("with %d MiB that live it is %d %%, want %d", len(lives)>>20, percentSet(), leastPercent)
		}
	}
	runtime.KeepAlive(lives)
	for deadline := time.Now().Add(time.Minute); percentSet() != mostPercent; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("once that is free it is %d %%, want %d", percentSet(), mostPercent)
		}
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("the limit of the memory is %d MiB, want %d", got>>20, limit>>20)
	}
}

// percentSet returns the percentage that is in force.
func percentSet() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
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

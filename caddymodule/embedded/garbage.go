package embedded

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// What may lie in the heap beside what lives there before it is collected: the compiled
// policy is scanned by each collection, which is a tenth of the processor time of a
// request by Go's default. Most is four times what lives, leastPercent of it or garbage,
// whichever is more: what lives in a gateway with many streams, times four, would be
// several times what they take.
const (
	garbage      = 96 << 20
	mostPercent  = 400
	leastPercent = 100
)

// tuneGC sets how often garbage is collected, unless the operator did.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostPercent)
		afterCollection(mostPercent)
	}
}

// gcPercent is the percentage of what lives that may be added to it.
func gcPercent(live uint64) int {
	return int(max(leastPercent, min(mostPercent, garbage*100/max(live, 1))))
}

// afterCollection has the percentage, which is set to one, follow what lives: each
// collection finds that nothing leads to mark.
func afterCollection(set int) {
	mark := new(uint64)
	runtime.AddCleanup(mark, func(set int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if percent := gcPercent(live[0].Value.Uint64()); percent*10 > set*11 || percent*10 < set*9 { // to set it stops the program
			debug.SetGCPercent(percent)
			set = percent
		}
		afterCollection(set)
	}, set)
}

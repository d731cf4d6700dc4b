package embedded

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
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

// A gateway that has so little to do in a time gives back the memory that it needed before,
// once that is worth a collection.
const (
	restTime   = 10 * time.Second
	restAllocs = 8 << 20
	worthwhile = 16 << 20
)

// tuneGC sets how often garbage is collected, unless the operator did. A limit of the
// memory, GOMEMLIMIT or Caddy's by its container, stays and has garbage collected oftener.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostPercent)
		afterCollection(mostPercent)
		atRest(readHeap())
	}
}

// gcPercent is the percentage of what lives that may be added to it.
func gcPercent(live uint64) int {
	return int(max(leastPercent, min(mostPercent, garbage*100/max(live, 1))))
}

// afterCollection has the percentage, which is set to one, follow what lives: each
// collection finds that nothing leads to mark.
func afterCollection(set int) {
	mark := new([4]uint64) // what is smaller shares memory with others, which may live on
	runtime.AddCleanup(mark, func(set int) {
		if percent := gcPercent(readHeap().live); percent*10 > set*11 || percent*10 < set*9 { // to set it stops the program
			debug.SetGCPercent(percent)
			set = percent
		}
		afterCollection(set)
	}, set)
}

// atRest gives memory back while there is little to do, for as long as the process lives.
func atRest(before heap) {
	time.AfterFunc(restTime, func() {
		now := readHeap()
		if now.idleSince(before) {
			debug.FreeOSMemory()
		}
		atRest(now)
	})
}

// heap is the state of the heap, in bytes.
type heap struct {
	live      uint64 // what the last collection found in use
	held      uint64 // objects that are not collected, and pages that are kept for others
	allocated uint64 // since the start
}

func readHeap() heap {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(samples)
	return heap{live: samples[0].Value.Uint64(), held: samples[1].Value.Uint64() + samples[2].Value.Uint64(), allocated: samples[3].Value.Uint64()}
}

// idleSince reports whether there was little to do since before, and is memory to give back.
func (h heap) idleSince(before heap) bool {
	return h.allocated-before.allocated < restAllocs && h.held > h.live+worthwhile
}

package joblog

import (
	"runtime"
	"sync"
	"testing"
)

// mostPerEvent is how many allocations an event takes at most, whatever the number of its
// readers: its own, and the channel that wakes them.
const mostPerEvent = 16.0

// spread has readers wait for the events of a log. send returns when all have the next one,
// end when they have left.
func spread(tb testing.TB, readers int) (send, end func()) {
	log := newMemory(0)
	jobs := New(log)
	var come, over sync.WaitGroup
	got := make(chan struct{}, readers)
	for range readers {
		come.Add(1)
		over.Go(func() {
			r := jobs.Join(theJob, 0)
			defer r.Leave()
			come.Done()
			if err := read(tb.Context(), r, func(Event) { got <- struct{}{} }); err != nil {
				tb.Error(err)
			}
		})
	}
	come.Wait()
	event := func(kind string) {
		log.append(kind, 200)
		for range readers {
			<-got
		}
	}
	event("job.started")
	return func() { event("job.progress") }, func() {
		event("job.completed")
		over.Wait()
	}
}

// allocations returns how often memory was allocated.
func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func TestAnEventTakesFewAllocationsWhateverTheNumberOfReaders(t *testing.T) {
	const events = 200
	send, end := spread(t, 500)
	defer end()
	before := allocations()
	for range events {
		send()
	}
	if each := float64(allocations()-before) / events; each > mostPerEvent {
		t.Errorf("an event takes %.1f allocations, want at most %v", each, mostPerEvent)
	}
}

// BenchmarkOneEventToAThousandReaders measures an event on its way from the source to
// readers that each wait for it.
func BenchmarkOneEventToAThousandReaders(b *testing.B) {
	send, end := spread(b, 1000)
	defer end()
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

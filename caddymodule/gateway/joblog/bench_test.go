package joblog

import (
	"runtime"
	"sync"
	"testing"
)

// BenchmarkOneEventToAThousandReaders measures an event on its way from the source to
// readers that each wait for it. What it allocates has a bound, whatever their number.
func BenchmarkOneEventToAThousandReaders(b *testing.B) {
	const (
		readers = 1000
		most    = 16.0 // allocations an event: its own, and the channel that wakes
	)
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
			if err := read(b.Context(), r, func(Event) { got <- struct{}{} }); err != nil {
				b.Error(err)
			}
		})
	}
	come.Wait()
	send := func(kind string) {
		log.append(kind, 200)
		for range readers {
			<-got
		}
	}
	send("job.started")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	for b.Loop() {
		send("job.progress")
	}
	runtime.ReadMemStats(&after)
	if each := float64(after.Mallocs-before.Mallocs) / float64(b.N); b.N >= 100 && each > most {
		b.Errorf("an event takes %.1f allocations, want at most %v", each, most)
	}
	send("job.completed")
	over.Wait()
}

package joblog

import (
	"math/rand/v2"
	"testing"
)

// TestWindowKnowsWhatFollowsAnID compares the window with all that was ever added to
// it.
func TestWindowKnowsWhatFollowsAnID(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		from := uint64(random.IntN(50))
		w, all, begin := newWindow(from), []Event{}, 0
		last := from
		for range random.IntN(3000) {
			var e Event
			switch n := random.IntN(1000); {
			case n == 0:
				e, last, from, begin = reset, 0, 0, len(all)+1
			case n < 50:
				e = Event{Block: []byte("data: {}\n\n")}
			default:
				last += uint64(1 + random.IntN(2))
				e = event(last, "job.progress", random.IntN(1000))
			}
			all = append(all, e)
			if !w.add(e) {
				t.Fatalf("seed %d: %+v was not added", seed, e)
			}
			if last > 0 && w.add(Event{ID: last}) {
				t.Fatal("an id was added twice")
			}
		}
		if w.end() != uint64(len(all)) || len(w.events) > maxEvents || w.bytes > maxBytes {
			t.Fatalf("seed %d: %d events end at %d of %d, with %d bytes", seed, len(w.events), w.end(), len(all), w.bytes)
		}
		for range 50 {
			after := random.Uint64N(last + 3)
			number, ok := w.find(after)
			lost := false // the window had something that follows
			for i, e := range all[begin:] {
				at, follows := uint64(begin+i), e.ID > after
				lost = lost || follows && at < w.first
				if ok && e.ID != 0 && follows != (at >= number) {
					t.Fatalf("seed %d: event %d is said to follow id %d, and %d has the id %d", seed, number, after, at, e.ID)
				}
			}
			if want := after >= from && after <= last && !lost; ok != want || ok && number < w.first {
				t.Fatalf("seed %d: that the window knows what follows id %d is %v, want %v", seed, after, ok, want)
			}
		}
	}
}

package joblog

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
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

func TestScannerPassesEventsOnAsTheyStandAndNothingElse(t *testing.T) {
	const one, two, three = "id: 1\nevent: job.started\ndata: {\"a\": 1}\n\n", "data:x\n\n", "id: 3\nevent: job.completed\ndata: a\ndata: b\n\n"
	s := NewScanner(strings.NewReader("\n: ok\nretry: 2500\n\n" + one + ": hb\n\n" + two + three + "id: 4\ndata: half"))
	for _, want := range []Event{{1, false, false, []byte(one)}, {0, false, false, []byte(two)}, {3, true, false, []byte(three)}} {
		e, err := s.Next()
		if err != nil || e.ID != want.ID || e.Terminal != want.Terminal || e.Reset || !bytes.Equal(e.Block, want.Block) {
			t.Errorf("got %d %v %q, %v", e.ID, e.Terminal, e.Block, err)
		}
	}
	if e, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("of half an event there is %q, %v", e.Block, err)
	}
	if e, err := NewScanner(bytes.NewReader(reset.Block)).Next(); err != nil || !e.Reset {
		t.Errorf("%+v, %v", e, err)
	}
	endless := io.MultiReader(strings.NewReader("data: "), io.LimitReader(zeros{}, 2*maxBlock))
	if _, err := NewScanner(endless).Next(); !errors.Is(err, errTooLong) {
		t.Errorf("an endless event: %v", err)
	}
}

// zeros is text without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

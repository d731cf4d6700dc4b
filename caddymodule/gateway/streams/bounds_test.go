package streams

import (
	"errors"
	"sync"
	"testing"
)

// TestNoMoreStreamsOpenThanMay has many clients of three keys and a user without a
// key open streams at once.
func TestNoMoreStreamsOpenThanMay(t *testing.T) {
	const perKey, all, tries = 5, 17, 50
	var g Registry
	reported := 0
	g.Changed = func(by int) { reported += by }
	g.Limit(Bounds{PerKey: perKey, All: all})
	readers := []Reader{{KeyID: "a", ProjectID: "p"}, {KeyID: "b", ProjectID: "p"}, {KeyID: "c", ProjectID: "p"}, {UserID: "a", ProjectID: "p"}}
	for round := range 2 {
		var mu sync.Mutex // guards the following variables
		got := make(map[Reader]int)
		refused := make(map[FullError]int)
		var streams []*Stream
		var clients sync.WaitGroup
		for i := range tries * len(readers) {
			clients.Go(func() {
				by := readers[i%len(readers)]
				s, err := g.Open(by)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got[by]++
					streams = append(streams, s)
					return
				}
				var full *FullError
				if !errors.As(err, &full) {
					t.Errorf("got %v", err)
					return
				}
				refused[*full]++
			})
		}
		clients.Wait()
		for by, n := range got {
			if n > perKey {
				t.Errorf("round %d: %+v has %d streams", round, by, n)
			}
		}
		if len(streams) != all || g.Len() != all || reported != all {
			t.Errorf("round %d: %d streams were opened, %d are open, %d were reported; want %d", round, len(streams), g.Len(), reported, all)
		}
		if len(refused) != 2 || refused[FullError{RoomKey, perKey}]+refused[FullError{RoomGateway, all}] != tries*len(readers)-all {
			t.Errorf("round %d: refused were %v", round, refused)
		}
		for _, s := range streams {
			s.Done()
		}
		if g.Len() != 0 || reported != 0 {
			t.Errorf("round %d: when all have ended %d are open, %d were reported", round, g.Len(), reported)
		}
	}
}

func TestASmallerBoundEndsNoStreamAndCountsThoseThatAreOpen(t *testing.T) {
	var g Registry
	one, two := open(t, &g, "k"), open(t, &g, "k")
	defer two.Done()
	g.Limit(Bounds{PerKey: 1})
	if len(one.Closing()) != 0 || len(two.Closing()) != 0 {
		t.Error("a stream was ended")
	}
	one.Done()
	if _, err := g.Open(Reader{KeyID: "k", ProjectID: "p"}); err == nil {
		t.Error("there are two again, of one that may be")
	}
	g.Limit(Bounds{PerKey: 2})
	open(t, &g, "k").Done()
}

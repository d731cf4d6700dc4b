package joblog

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
)

// TestSlowReadersBehindTheWindowHoldNoMoreThanAllMay: whatever their number, beyond an
// event of each.
func TestSlowReadersBehindTheWindowHoldNoMoreThanAllMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const readers, size = 1000, 1 << 10
		log := newMemory(0)
		log.write(2000, size)
		jobs := New(log)
		last := jobs.Join(theJob, 2000)
		defer last.Leave()
		slow := make([]*Reader, readers)
		var next [readers]uint64
		for round := range 3 {
			held := 0
			for i := range slow {
				if round == 0 {
					slow[i] = jobs.Join(theJob, 0)
				}
				events, err := slow[i].Page(t.Context())
				if err != nil || len(events) == 0 {
					t.Fatalf("reader %d got %d events, %v", i, len(events), err)
				}
				for _, e := range events {
					held += len(e.Block)
					if next[i]++; e.ID != next[i] {
						t.Fatalf("reader %d got event %d, want %d", i, e.ID, next[i])
					}
				}
			}
			if most := 4<<20 + readers*(size+100); held > most {
				t.Errorf("round %d: they have %d bytes, want at most %d", round, held, most)
			}
		}
		for _, r := range slow {
			r.Leave()
		}
		if n := jobs.held.Load(); n != 0 {
			t.Errorf("%d bytes are held by nobody", n)
		}
	})
}

// TestAWindowKeepsLittleThatAllHaveRead: enough for a reader who comes back at once.
func TestAWindowKeepsLittleThatAllHaveRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 10
		log := newMemory(0)
		jobs := New(log)
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() { checkDense(t, readAll(t, jobs, 0), 0, 202) })
		}
		synctest.Wait()
		log.write(200, size)
		synctest.Wait()
		log.write(1, size)
		synctest.Wait()
		if n, most := jobs.windows.Load(), int64(32<<10); n > most {
			t.Errorf("%d bytes are kept that all have read, want at most %d", n, most)
		}
		readers.Go(func() { checkDense(t, readAll(t, jobs, 180), 180, 202) })
		synctest.Wait()
		log.append("job.completed", 10)
		readers.Wait()
		if opened, _ := log.counts(); len(opened) != 1 {
			t.Errorf("a reader who came back read the log: %v", opened)
		}
	})
}

// TestTheWindowsOfAllJobsHaveABound: whose readers read nothing. They lose no event by it,
// and no log is read for nobody.
func TestTheWindowsOfAllJobsHaveABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const followed, size = 50, 1 << 10
		log := newMemory(0)
		log.write(1000, size)
		log.append("job.completed", 10)
		jobs := New(log)
		jobs.windowsMost = 1 << 20
		slow := make([]*Reader, followed)
		for i := range slow {
			slow[i] = jobs.Join(Job{ID: fmt.Sprint(i), ProjectID: "project"}, 0)
		}
		synctest.Wait()
		if n, most := jobs.windows.Load(), jobs.windowsMost+followed*2*size; n > most {
			t.Errorf("%d bytes are kept, want at most %d", n, most)
		}
		for i, r := range slow {
			if last := r.from.position(); last > maxBytes/size {
				t.Errorf("of log %d, that nobody has read, %d events were", i, last)
			}
		}
		var readers sync.WaitGroup
		for _, r := range slow {
			readers.Go(func() {
				defer r.Leave()
				var ids []uint64
				if err := read(t.Context(), r, func(e Event) { ids = append(ids, e.ID) }); err != nil {
					t.Error(err)
				}
				checkDense(t, ids, 0, 1001)
			})
		}
		readers.Wait()
	})
}

func TestNoMoreJobsAreFollowedThanMay(t *testing.T) {
	log := newMemory(1)
	jobs := New(log)
	jobs.Limit(2)
	named := func(id string) Job { return Job{ID: id, ProjectID: "project"} }
	one, two := jobs.Join(named("1"), 0), jobs.Join(named("2"), 0)
	if jobs.Join(named("3"), 0) != nil {
		t.Error("a third job is followed")
	}
	again := jobs.Join(named("1"), 0)
	if again == nil {
		t.Fatal("a job that is followed has no second reader")
	}
	one.Leave()
	if jobs.Join(named("3"), 0) != nil {
		t.Error("a third job is followed while both others are")
	}
	again.Leave()
	three := jobs.Join(named("3"), 0)
	if three == nil {
		t.Fatal("a job that nobody reads keeps its place")
	}
	three.Leave()
	two.Leave()
}

// TestPageEndsAtAnIDThatDoesNotRise: else an engine has a page read at full speed for
// as long as it may take, again and again.
func TestPageEndsAtAnIDThatDoesNotRise(t *testing.T) {
	for _, tc := range []struct {
		after, id uint64
		events    int
		want      error
	}{{after: 0, id: 3, events: 1}, {after: 5, id: 3, want: errNotRising}, {after: 3, id: 3, want: errNotRising}} {
		log := &stuck{id: tc.id}
		jobs := New(log)
		first, behind := jobs.Join(theJob, 10), jobs.Join(theJob, tc.after)
		events, err := behind.Page(t.Context())
		behind.Leave()
		first.Leave()
		if len(events) != tc.events || !errors.Is(err, tc.want) {
			t.Errorf("after %d: %d events, %v", tc.after, len(events), err)
		}
		if n := log.sent.Load(); n > 3 { // of them the follower reads one
			t.Errorf("after %d: %d events were read", tc.after, n)
		}
	}
}

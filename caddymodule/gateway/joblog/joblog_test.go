package joblog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnyNumberOfReadersTakeOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(20)
		jobs := New(log)
		var readers sync.WaitGroup
		for i := range uint64(500) {
			readers.Go(func() { checkDense(t, readAll(t, jobs, i%20), i%20, 31) })
			if i == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		log.write(10, 10)
		log.append("job.completed", 10)
		readers.Wait()
		if opened, _ := log.counts(); len(opened) != 1 {
			t.Errorf("the log was opened after %v", opened)
		}
		if jobs.Len() != 0 {
			t.Error("a job is followed that nobody reads")
		}
	})
}

func TestALateReaderReadsFromTheLogWhatTheWindowHasNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 10 << 10
		log := newMemory(0)
		jobs := New(log)
		var readers sync.WaitGroup
		readers.Go(func() { checkDense(t, readAll(t, jobs, 0), 0, 101) })
		synctest.Wait()
		log.write(100, size)
		synctest.Wait()
		readers.Go(func() { checkDense(t, readAll(t, jobs, 0), 0, 101) })
		readers.Go(func() { checkDense(t, readAll(t, jobs, 99), 99, 101) })
		synctest.Wait()
		pages, _ := log.counts()
		if n := len(pages) - 1; n < 2 || n > 100*size/pageBytes {
			t.Errorf("the late reader read %d pages", n)
		}
		log.append("job.completed", 10)
		readers.Wait()
		if after, _ := log.counts(); len(after) != len(pages) {
			t.Error("it read on from the log when it was no longer late")
		}
	})
}

func TestASlowReaderTakesNoMemoryAndHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(0)
		jobs := New(log)
		slow := jobs.Join(theJob, 0)
		defer slow.Leave()
		if events, _ := slow.Read(make([]Event, 0, 1)); len(events) != 0 {
			t.Fatalf("got %v", events)
		}
		var fast []uint64
		over := make(chan struct{})
		go func() {
			defer close(over)
			fast = readAll(t, jobs, 0)
		}()
		for range 50 {
			log.write(100, 1<<10)
			synctest.Wait()
			if w := slow.from.window; w.bytes > maxBytes+2<<10 || len(w.events) > maxEvents {
				t.Fatalf("%d events are kept, %d bytes", len(w.events), w.bytes)
			}
		}
		log.append("job.completed", 10)
		<-over
		checkDense(t, fast, 0, 5001)
		var ids []uint64
		if err := read(t.Context(), slow, func(e Event) { ids = append(ids, e.ID) }); err != nil {
			t.Error(err)
		}
		checkDense(t, ids, 0, 5001)
	})
}

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
			if most := heldMost + readers*(size+100); held > most {
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
		if n := jobs.windows.Load(); n > keptBytes {
			t.Errorf("%d bytes are kept that all have read, want at most %d", n, keptBytes)
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

// TestALogIsReadNoFasterThanTheFastestReaderDoes: else an engine that writes without an
// end, which may be hostile, has the gateway read it at full speed for nobody.
func TestALogIsReadNoFasterThanTheFastestReaderDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(10 * maxEvents)
		jobs := New(log)
		r := jobs.Join(theJob, 0)
		synctest.Wait()
		if last := r.from.position(); last > maxEvents {
			t.Errorf("of a log that nobody has read %d events are in memory", last)
		}
		var ids []uint64
		go func() {
			log.append("job.completed", 10)
		}()
		if err := read(t.Context(), r, func(e Event) { ids = append(ids, e.ID) }); err != nil {
			t.Error(err)
		}
		checkDense(t, ids, 0, 10*maxEvents+1)
		r.Leave()
		if opened, _ := log.counts(); len(opened) != 1 {
			t.Errorf("the only reader fell behind %d times", len(opened)-1)
		}
	})
}

// TestReadersOfASourceThatIsFrozenWaitForOneConnection: whatever they have seen.
func TestReadersOfASourceThatIsFrozenWaitForOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(100)
		thaw := log.freeze()
		jobs := New(log)
		var readers sync.WaitGroup
		for i := range uint64(100) {
			readers.Go(func() { checkDense(t, readAll(t, jobs, i), i, 101) })
		}
		time.Sleep(time.Hour)
		if opened, _ := log.counts(); len(opened) != 1 {
			t.Errorf("the log was opened after %v", opened)
		}
		log.append("job.completed", 10)
		thaw()
		readers.Wait()
		if _, atOnce := log.counts(); atOnce > 1+pagesAtOnce {
			t.Errorf("the log was open %d times", atOnce)
		}
	})
}

func TestReadersBehindASourceThatFreezesHoldFewConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(10)
		jobs := New(log)
		first := jobs.Join(theJob, 10)
		defer first.Leave()
		synctest.Wait()
		thaw := log.freeze()
		var readers sync.WaitGroup
		for range 100 {
			readers.Go(func() { checkDense(t, readAll(t, jobs, 0), 0, 11) })
		}
		time.Sleep(time.Minute)
		if _, atOnce := log.counts(); atOnce > 1+pagesAtOnce {
			t.Errorf("the log was open %d times", atOnce)
		}
		log.append("job.completed", 10)
		thaw()
		readers.Wait()
	})
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

func TestTheEndReachesEveryReaderHoweverItIsKnown(t *testing.T) {
	for name, tc := range map[string]struct {
		after  uint64
		before func(m *memory)
		want   error
	}{
		"all was read":           {after: 3, before: func(m *memory) { m.append("job.failed", 1) }},
		"by its last event":      {after: 1, before: func(m *memory) { m.append("job.failed", 1) }},
		"the log is elsewhere":   {after: 0, before: func(m *memory) { m.elsewhere, m.breaksIn = true, func() int { return 1 } }, want: errElsewhere},
		"an id beyond the end":   {after: 9, before: func(m *memory) { m.append("job.failed", 1) }},
		"nothing has been there": {after: 0, before: func(m *memory) { m.append("job.failed", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := newMemory(2)
				tc.before(log)
				jobs := New(log)
				var readers sync.WaitGroup
				for range 10 {
					readers.Go(func() {
						r := jobs.Join(theJob, tc.after)
						defer r.Leave()
						if err := read(t.Context(), r, func(Event) {}); !errors.Is(err, tc.want) {
							t.Errorf("it ends with %v, want %v", err, tc.want)
						}
					})
				}
				readers.Wait()
				if jobs.Len() != 0 {
					t.Error("the job is still followed")
				}
			})
		})
	}
}

func TestAnIDThatTheLogDoesNotHaveBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(3)
		jobs := New(log)
		var readers sync.WaitGroup
		for _, after := range []uint64{0, 99, 99, 7, 2} {
			readers.Go(func() {
				ids := readAll(t, jobs, after)
				if begin := slices.Index(ids, 0); begin >= 0 {
					ids, after = ids[begin+1:], 0
				}
				checkDense(t, ids, after, 4)
			})
			synctest.Wait()
		}
		log.append("job.completed", 10)
		readers.Wait()
	})
}

func TestAReaderThatLeavesEndsTheFollowingOnlyAsTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(1)
		defer log.freeze()()
		jobs := New(log)
		one, two := jobs.Join(theJob, 0), jobs.Join(theJob, 0)
		one.Leave()
		if jobs.Len() != 1 {
			t.Error("the other reader's job is no longer followed")
		}
		two.Leave()
		log.mu.Lock()
		defer log.mu.Unlock()
		if jobs.Len() != 0 || log.open != 0 {
			t.Errorf("%d jobs are followed, %d logs are open", jobs.Len(), log.open)
		}
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

// TestEachReaderGetsEachEventOnce has readers come and go, slow and fast ones, while
// the log grows and breaks off again and again: what each gets is what the model says,
// the log from where it came.
func TestEachReaderGetsEachEventOnce(t *testing.T) {
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 22))
			log := newMemory(0)
			breaks := rand.New(rand.NewPCG(seed, 23)) // used with the log's lock held
			log.breaksIn = func() int { return breaks.IntN(40) }
			jobs := New(log)
			if seed%2 == 1 { // its window gives all the time
				jobs.windowsMost = 8 << 10
			}
			var readers sync.WaitGroup
			come := func(after uint64, every, length int) {
				readers.Go(func() {
					ctx, leave := context.WithCancel(t.Context())
					defer leave()
					var ids []uint64
					r := jobs.Join(theJob, after)
					err := read(ctx, r, func(e Event) {
						ids = append(ids, e.ID)
						if every > 0 && len(ids)%every == 0 {
							time.Sleep(time.Duration(every) * time.Millisecond)
						}
						if len(ids) == length { // it reconnects where it was
							leave()
						}
					})
					r.Leave()
					if err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					if ctx.Err() != nil {
						rest := readAll(t, jobs, r.After())
						ids = append(ids[:r.After()-after], rest...)
					}
					checkDense(t, ids, after, 1501)
				})
			}
			for n := range 150 {
				log.write(10, random.IntN(2000))
				if n%5 == 0 {
					come(uint64(random.IntN(n*10+1)), random.IntN(12), 1+random.IntN(1000))
				}
				time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
			}
			log.append("job.completed", 10)
			readers.Wait()
			if n := jobs.windows.Load(); n != 0 {
				t.Errorf("%d bytes are kept of no job", n)
			}
		})
	}
}

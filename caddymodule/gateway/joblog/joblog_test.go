package joblog

import (
	"context"
	"errors"
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

// TestNothingIsAskedOfTheSourceAfterClose: who calls Close closes what the source asks.
func TestNothingIsAskedOfTheSourceAfterClose(t *testing.T) {
	for _, what := range []string{"Open", "Next", "Await"} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := &slow{what: what, goOn: make(chan struct{})}
				jobs := New(source)
				reader := jobs.Join(theJob, 0)
				defer reader.Leave()
				synctest.Wait()
				if n := source.asked.Load(); n != 1 {
					t.Fatalf("the source is asked %d times at once, want once", n)
				}
				closed := make(chan int64)
				go func() {
					jobs.Close()
					closed <- source.asked.Load()
				}()
				synctest.Wait()
				select {
				case <-closed:
					t.Error("it returned while the source was asked")
					close(source.goOn)
				default:
					close(source.goOn)
					if n := <-closed; n != 0 {
						t.Errorf("the source is asked %d times at once after it", n)
					}
				}
				if jobs.Join(Job{ID: "another"}, 0) != nil {
					t.Error("a reader is let in after it")
				}
			})
		})
	}
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

func TestAParkedReaderIsWokenOnceByTheNextChangeAndByNoneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(0)
		r := New(log).Join(theJob, 0)
		defer r.Leave()
		synctest.Wait()
		_, state := r.Read(make([]Event, 0, 1))
		woken := 0
		wake := func() { woken++ }
		if !r.Park(state.Changed, wake) {
			t.Fatal("there was a change before")
		}
		log.write(2, 10)
		synctest.Wait()
		if woken != 1 {
			t.Errorf("woken %d times by two events", woken)
		}
		if r.Park(state.Changed, wake) {
			t.Error("parked on what has changed")
		}
		log.write(1, 10)
		synctest.Wait()
		if woken != 1 {
			t.Errorf("woken %d times, the last without being parked", woken)
		}
	})
}

package joblog

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// buggy is a log that breaks off after each event, one of whose methods panics once, when a
// test says so.
type buggy struct {
	*memory
	in   string
	goOn chan struct{}
	once sync.Once
}

func (b *buggy) bug(in string) {
	if in == b.in {
		b.once.Do(func() {
			<-b.goOn
			panic("a bug")
		})
	}
}

func (b *buggy) Open(ctx context.Context, job Job, after uint64) (Events, error) {
	b.bug("Open")
	events, err := b.memory.Open(ctx, job, after)
	return buggyEvents{events, b}, err
}

func (b *buggy) Await(ctx context.Context, job Job) bool {
	b.bug("Await")
	return b.memory.Await(ctx, job)
}

type buggyEvents struct {
	Events
	of *buggy
}

func (e buggyEvents) Next() (Event, error) {
	e.of.bug("Next")
	return e.Events.Next()
}

// TestABugInFollowingEndsTheReadersOfThatLogAlone: no server recovers that goroutine.
func TestABugInFollowingEndsTheReadersOfThatLogAlone(t *testing.T) {
	for _, in := range []string{"Open", "Next", "Await"} {
		t.Run(in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &buggy{memory: newMemory(3), in: in, goOn: make(chan struct{})}
				log.breaksIn = func() int { return 2 }
				jobs := New(log)
				ends := make(chan error)
				for range 2 {
					r := jobs.Join(theJob, 0)
					go func() {
						defer r.Leave()
						ends <- read(t.Context(), r, func(Event) {})
					}()
				}
				synctest.Wait()
				parked := jobs.Join(theJob, 0)
				woken := make(chan struct{})
				park(t, parked, func() { close(woken) })
				close(log.goOn)
				<-woken
				stacks := 0
				for range 2 {
					err := <-ends
					if !errors.Is(err, errPanicked) {
						t.Errorf("a reader ends with %v", err)
					} else if strings.Contains(err.Error(), "a bug") {
						stacks++
					}
				}
				if stacks != 1 {
					t.Errorf("the bug is told %d times", stacks)
				}
				if jobs.Len() != 0 {
					t.Error("others would join what is broken")
				}
				parked.Leave()
				log.append("job.completed", 10)
				checkDense(t, readAll(t, jobs, 0), 0, 4)
				jobs.Close()
			})
		})
	}
}

// park reads what is there, and has wake called at the next change.
func park(t *testing.T, r *Reader, wake func()) {
	t.Helper()
	var room [8]Event
	for {
		if _, s := r.Read(room[:0]); s.Changed != nil {
			if !r.Park(s.Changed, wake) {
				t.Error("there was a change already")
			}
			return
		}
	}
}

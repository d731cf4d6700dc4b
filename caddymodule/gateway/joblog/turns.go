package joblog

import (
	"runtime"
	"sync"
	"time"
)

// Parked readers are called by one goroutine for so many: to start one for each took a
// fifth of the time of what it was started for. Where some have to wait, for a client that
// takes nothing or for the archive, as many again call the rest after a while: nobody
// holds up another one for long.
const (
	turnsEach    = 64
	turnPatience = 2 * time.Millisecond
)

// turns are functions that are called, each once.
type turns struct {
	mu      sync.Mutex // guards the following fields
	rest    []func()
	callers int
	late    *time.Timer // has more call while there is a rest
}

// take has functions called, of which there is at least one, and waits for none.
func take(all []func()) {
	t := &turns{rest: all}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = time.AfterFunc(turnPatience, t.relieve)
	t.callLocked(min(1+len(all)/turnsEach, runtime.GOMAXPROCS(0)))
}

// callLocked has so many more goroutines call the rest.
func (t *turns) callLocked(more int) {
	t.callers += more
	for range more {
		go func() {
			for next := t.next(); next != nil; next = t.next() {
				next()
			}
		}()
	}
}

func (t *turns) next() (next func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rest) == 0 {
		t.late.Stop()
		return nil
	}
	next, t.rest = t.rest[0], t.rest[1:]
	return next
}

// relieve is called when the turns take long.
func (t *turns) relieve() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rest) > 0 {
		t.late.Reset(turnPatience)
		t.callLocked(min(t.callers, len(t.rest)))
	}
}

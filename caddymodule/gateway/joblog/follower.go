package joblog

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/peer"
)

// Over is how the following of a job ended.
type Over int

// The ends.
const (
	NotOver   Over = iota
	Complete       // the log has ended, and all of it was read
	Elsewhere      // the rest, if there is any, is no longer where the job ran
	Broken         // by a bug, which State.Err tells
)

// follower follows one job.
type follower struct {
	jobs   *Jobs
	job    Job
	cancel context.CancelFunc
	done   chan struct{}
	pages  chan struct{} // holds a token for each page that is being read

	readers int // guarded by jobs.mu

	size atomic.Int64 // bytes of the window, as they count in jobs.windows

	mu       sync.Mutex // guards the following fields, and joined and next of the readers
	window   window
	cursors  map[*Reader]struct{}
	parked   int    // of them
	reads    int    // since they were looked through
	answered bool   // the source has, once
	waiting  bool   // for it
	waits    uint64 // how often it began to wait
	over     Over
	broke    error         // why it is Broken
	changed  chan struct{} // closed at the next change; nil while nobody waits
	read     uint64        // number up to which some reader has read
	ahead    uint64        // id from which a reader wants to read on, that the window has not come to
	moved    chan struct{} // holds a token when one of both has changed
}

func newFollower(jobs *Jobs, job Job, after uint64) *follower {
	return &follower{
		jobs: jobs, job: job, window: newWindow(after), done: make(chan struct{}), pages: make(chan struct{}, pagesAtOnce),
		cursors: make(map[*Reader]struct{}), moved: make(chan struct{}, 1),
	}
}

// run follows the job until its log is over, or ctx.
func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	defer f.survive()
	for pause := time.Duration(0); ; pause = min(max(2*pause, retryFirst), retryMost) {
		before := f.position()
		f.follow(ctx)
		if f.position() != before {
			pause = min(pause, retryFirst)
		}
		if ctx.Err() != nil || f.isOver() || !peer.Sleep(ctx, pause) {
			return
		}
		f.change(func() { f.waiting, f.waits = true, f.waits+1 })
		if !f.jobs.source.Await(ctx, f.job) {
			f.jobs.forget(f)
			f.change(func() { f.over = Elsewhere })
			return
		}
	}
}

// survive is deferred by what nobody else recovers: a bug ends the readers of this job, and
// not the process. Who comes after them has the job followed anew.
func (f *follower) survive() {
	p := recover()
	if p == nil {
		return
	}
	f.jobs.forget(f)
	broke := fmt.Errorf("%w: %v\n%s", errPanicked, p, debug.Stack())
	f.change(func() { f.over, f.broke = Broken, broke })
}

// follow reads on from where the window ends, until the source breaks off.
func (f *follower) follow(ctx context.Context) {
	events, err := f.jobs.source.Open(ctx, f.job, f.position())
	if err == nil {
		defer events.Close()
		f.change(f.answer)
	}
	for err == nil {
		var e Event
		if e, err = events.Next(); err != nil {
			break
		}
		added := false
		if !f.awaitRoom(ctx, e) {
			return
		}
		f.change(func() {
			if added = f.window.add(e); added && e.Terminal {
				f.over = Complete
			}
			if e.Reset {
				f.ahead = 0
			}
			f.accountLocked()
		})
		f.jobs.shrink(f)
		if !added || e.Terminal {
			return // ids that do not rise break the contract
		}
	}
	if errors.Is(err, ErrNoMore) {
		f.change(func() {
			f.answer()
			f.over = Complete
		})
	}
}

// awaitRoom waits while the window would lose for e what no reader has read, or has given
// some of that: a log grows no faster here than the fastest of them reads. It returns false
// once ctx is done.
func (f *follower) awaitRoom(ctx context.Context, e Event) bool {
	for {
		if !f.isFull(e) {
			return true
		}
		select {
		case <-f.moved:
		case <-ctx.Done():
			return false
		}
	}
}

func (f *follower) isFull(e Event) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	keepsFrom := f.window.keepsFrom(e)
	loses := keepsFrom > f.window.first && keepsFrom > f.read || f.window.first > f.read
	return loses && f.window.last >= f.ahead
}

// noteLocked notes how far a reader has come.
func (f *follower) noteLocked(read, ahead uint64) {
	if ahead > f.window.last+aheadMost {
		ahead = 0 // an id that no event may ever have does not have a log read for nobody
	}
	if read <= f.read && ahead <= f.ahead {
		return
	}
	f.read, f.ahead = max(read, f.read), max(ahead, f.ahead)
	select {
	case f.moved <- struct{}{}:
	default: // it holds one
	}
}

// answer is called with mu held.
func (f *follower) answer() { f.answered, f.waiting = true, false }

// change changes the follower and wakes the readers.
func (f *follower) change(how func()) {
	if parked := f.changeFor(how); len(parked) > 0 {
		take(parked)
	}
}

// changeFor changes the follower and returns what readers are called by that are parked.
func (f *follower) changeFor(how func()) (parked []func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
	return f.wakeLocked()
}

// wakeLocked wakes the readers that wait, and returns what those are called by that are parked.
func (f *follower) wakeLocked() (parked []func()) {
	if f.changed == nil {
		return nil
	}
	close(f.changed)
	f.changed = nil
	if f.parked == 0 {
		return nil
	}
	parked = make([]func(), 0, f.parked)
	for r := range f.cursors {
		if r.turn != nil {
			parked = append(parked, r.turn)
			r.turn = nil
		}
	}
	f.parked = 0
	return parked
}

func (f *follower) position() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.window.last
}

func (f *follower) isOver() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over != NotOver
}

// enter returns a new reader, which has seen how often the follower waited before it does
// now.
func (f *follower) enter(after uint64) *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &Reader{from: f, after: after, waits: f.waits}
	if f.waiting {
		r.waits--
	}
	f.cursors[r] = struct{}{}
	return r
}

func (f *follower) exit(r *Reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cursors, r)
	if r.turn != nil {
		f.parked--
	}
}

// trimLocked lets go of what every reader has read of the window, but for the newest of it.
// It looks at all readers once for as many reads.
func (f *follower) trimLocked() {
	f.reads++
	if f.window.bytes <= keptBytes || f.reads < len(f.cursors) {
		return
	}
	f.reads = 0
	slowest := f.read
	for r := range f.cursors {
		if r.joined && r.next >= f.window.first { // others read the log
			slowest = min(slowest, r.next)
		}
	}
	for f.window.bytes > keptBytes && f.window.first < slowest {
		f.window.drop()
	}
	f.accountLocked()
}

// give lets go of half of the window, read or not, but for one event.
func (f *follower) give() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for most := f.window.bytes / 2; f.window.bytes > most && len(f.window.events) > 1; {
		f.window.drop()
	}
	f.accountLocked()
}

// close lets go of the window, which nobody reads any more.
func (f *follower) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.window.events, f.window.bytes = nil, 0
	f.accountLocked()
}

// accountLocked has all windows' bytes count this one's.
func (f *follower) accountLocked() {
	now := int64(f.window.bytes)
	f.jobs.windows.Add(now - f.size.Swap(now))
}

// reaches reports whether the window has what follows an id.
func (f *follower) reaches(after uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.window.find(after)
	return ok
}

// window holds the newest events of a log. Events are counted from 0 in the order in
// which they came, whatever their ids are.
type window struct {
	events []Event
	first  uint64 // number of events[0]
	begin  uint64 // number of the first event after the last reset
	base   uint64 // id that stands before the first event which can be read, of those after the last reset
	last   uint64 // id at the end
	bytes  int
}

// newWindow returns the window of a log that is read after an id.
func newWindow(after uint64) window { return window{base: after, last: after} }

func (w *window) end() uint64 { return w.first + uint64(len(w.events)) }

// keepsFrom returns the number of the oldest event that is kept once e is added.
func (w *window) keepsFrom(e Event) uint64 {
	n, bytes := 0, w.bytes+len(e.Block)
	for n < len(w.events) && (len(w.events)-n+1 > maxEvents || bytes > maxBytes) {
		bytes -= len(w.events[n].Block)
		n++
	}
	return w.first + uint64(n)
}

// add appends an event, unless it is one that was there already, and forgets the
// oldest ones that have no more room.
func (w *window) add(e Event) (added bool) {
	switch {
	case e.Reset:
		w.base, w.last, w.begin = 0, 0, w.end()+1
	case e.ID != 0 && e.ID <= w.last:
		return false
	case e.ID != 0:
		w.last = e.ID
	}
	w.events = append(w.events, e)
	w.bytes += len(e.Block)
	for len(w.events) > maxEvents || w.bytes > maxBytes && len(w.events) > 1 {
		w.drop()
	}
	return true
}

func (w *window) drop() {
	oldest := &w.events[0]
	if oldest.ID != 0 && w.first >= w.begin {
		w.base = oldest.ID
	}
	w.bytes -= len(oldest.Block)
	*oldest = Event{} // the block goes with it
	w.events = w.events[1:]
	w.first++
}

// find returns the number of the event that follows an id, if the window can say.
func (w *window) find(after uint64) (number uint64, ok bool) {
	if after < w.base || after > w.last {
		return 0, false
	}
	number = max(w.first, w.begin)
	for n := number; n < w.end(); n++ {
		switch id := w.events[n-w.first].ID; {
		case id > after:
			return number, true
		case id != 0:
			number = n + 1
		}
	}
	return number, true
}

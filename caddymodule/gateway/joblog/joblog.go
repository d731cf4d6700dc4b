// Package joblog follows the event log of a job once for all who read it: one
// connection to its engine, a bounded window of the newest events in memory, and a
// cursor for each reader. A reader that has fallen behind the window reads on from the
// log itself.
package joblog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Job names a job and the project whose engine runs it.
type Job struct{ ID, ProjectID string }

// Event is one event, as it is sent.
type Event struct {
	ID       uint64 // 0 for one of the connection, which has no place in the log
	Terminal bool   // it is the job's last
	Reset    bool   // the log had no event that was named; ids begin again
	Block    []byte // with the empty line at its end; readers share it and leave it alone
}

// ErrNoMore is the error of Source.Open and Events.Next where the log has ended and
// holds nothing after the id that was named.
var ErrNoMore = errors.New("the log has ended")

// errNotRising breaks the contract.
var errNotRising = errors.New("the ids of a log's events do not rise")

// errPanicked is why following is Broken, for all readers but the first.
var errPanicked = errors.New("following the log panicked")

// Source is where the logs of jobs are. It is safe for concurrent use, and its methods
// return soon after their context is done.
type Source interface {
	// Open returns the events after an id, those to come too.
	Open(ctx context.Context, job Job, after uint64) (Events, error)
	// Await returns when it may be time to open the log again. goOn is false when
	// there is nothing to wait for: the job has ended and its log is elsewhere.
	Await(ctx context.Context, job Job) (goOn bool)
}

// Events are what a Source opened. Next waits for the next one; after an error there
// are no more.
type Events interface {
	Next() (Event, error)
	Close()
}

// Bounds of what is kept of one job's log; of that what every reader of the window has
// read, which is for those who come back; and of what is kept of all.
const (
	maxEvents   = 1024
	maxBytes    = 256 << 10
	keptBytes   = 32 << 10
	windowsMost = 32 << 20
)

// Bounds of reading behind the window: bytes of a page, which holds one event at
// least, and of all that readers have and have not passed on yet, after which a page holds
// one event alone; pages of one job and of all at once, and how long one may take.
const (
	pageBytes   = 16 << 10
	heldMost    = 4 << 20
	pagesAtOnce = 4
	pagesInAll  = 1024
	pageTimeout = 5 * time.Second
	// pageQuiet is how long a page waits for another event, once it has one.
	pageQuiet = 100 * time.Millisecond
)

// aheadMost is how far ahead of the window an id may be for which the log is read on.
const aheadMost = 1 << 16

// How long a log that broke off is left alone. The wait doubles while no event comes.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = time.Second
)

// Jobs are the jobs that are followed. It is safe for concurrent use.
type Jobs struct {
	source Source
	pages  chan struct{} // holds a token for each page that is being read
	held   atomic.Int64  // bytes of pages that readers have

	windows     atomic.Int64 // bytes that are kept of all
	windowsMost int64

	following sync.WaitGroup // of followers, also of those without readers

	mu     sync.Mutex // guards the following fields
	open   map[Job]*follower
	most   int // that may be open, 0 for any number
	closed bool
}

// New returns the jobs of a source, of which none is followed yet.
func New(source Source) *Jobs {
	return &Jobs{source: source, pages: make(chan struct{}, pagesInAll), windowsMost: windowsMost, open: make(map[Job]*follower)}
}

// Len returns how many jobs are followed.
func (j *Jobs) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.open)
}

// Limit bounds how many jobs are followed from now on; 0 is no bound. Each takes a
// connection.
func (j *Jobs) Limit(most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.most = most
}

// Close ends all following. It returns when the source is asked for nothing more.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	for _, f := range j.open {
		f.cancel()
	}
	j.mu.Unlock()
	j.following.Wait()
}

// Join returns a reader of a job's events after an id. The first one has the job
// followed from there, or is nil if as many are followed as may be, or after Close. Leave
// must be called once.
func (j *Jobs) Join(job Job, after uint64) *Reader {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.open[job]
	if f == nil {
		if j.closed || j.most > 0 && len(j.open) >= j.most {
			return nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		f = newFollower(j, job, after)
		f.cancel = cancel
		j.open[job] = f
		j.following.Go(func() { f.run(ctx) })
	}
	f.readers++
	return f.enter(after)
}

// reserve returns how many bytes a page may have, 0 for no more than an event. They count
// as held.
func (j *Jobs) reserve() int {
	if j.held.Add(pageBytes) <= heldMost {
		return pageBytes
	}
	j.held.Add(-pageBytes)
	return 0
}

// leave takes a reader away, and with the last one the follower, whose end it awaits.
func (j *Jobs) leave(f *follower) {
	j.mu.Lock()
	f.readers--
	last := f.readers == 0
	if last {
		j.forgetLocked(f)
	}
	j.mu.Unlock()
	if last {
		f.cancel()
		<-f.done
		f.close()
	}
}

// shrink has windows give half of what they have while all have too much: each time the
// largest of a few, by the follower whose window has grown.
func (j *Jobs) shrink(by *follower) {
	const times, few = 8, 16
	for range times {
		if j.windows.Load() <= j.windowsMost {
			return
		}
		largest, looked := by, 0
		j.mu.Lock()
		for _, f := range j.open { // in another order each time
			if f.size.Load() > largest.size.Load() {
				largest = f
			}
			if looked++; looked == few {
				break
			}
		}
		j.mu.Unlock()
		largest.give()
	}
}

// forget has readers that come from now on follow the job anew.
func (j *Jobs) forget(f *follower) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.forgetLocked(f)
}

func (j *Jobs) forgetLocked(f *follower) {
	if j.open[f.job] == f {
		delete(j.open, f.job)
	}
}

// Reader is one reader's cursor. It is not safe for concurrent use.
type Reader struct {
	from   *follower
	after  uint64 // id of the last event that was handed out
	joined bool   // next is valid
	next   uint64 // number in the window
	waits  uint64 // of the follower, as the reader has seen them
	holds  int    // bytes of the page that was handed out last
	turn   func() // while it is parked; guarded by the follower's mu
}

// State is what a Read found besides events.
type State struct {
	Over     Over
	Err      error // where that is Broken, after the last events; the stack is told to one reader
	Answered bool  // the log was opened, once
	Waits    bool  // since the last Read the follower began to wait for the log
	// Outside: the window is past the reader, or before it; Page reads on.
	Outside bool
	// Changed is closed at the next change. It is nil after a Read that handed out
	// events, which another Read has to follow.
	Changed <-chan struct{}
}

// Leave ends the reading.
func (r *Reader) Leave() {
	r.release()
	r.from.exit(r)
	r.from.jobs.leave(r.from)
}

// release notes that what was handed out is passed on.
func (r *Reader) release() {
	if r.holds == 0 {
		return
	}
	r.from.jobs.held.Add(-int64(r.holds))
	r.holds = 0
}

// After returns the id of the last event that was handed out, the one that the reader
// came with before.
func (r *Reader) After() uint64 { return r.after }

// Read hands out the next events of the window, at most as many as into has room for.
// It waits for nothing. Events that were handed out before are the reader's no more.
func (r *Reader) Read(into []Event) ([]Event, State) {
	r.release()
	f := r.from
	f.mu.Lock()
	defer f.mu.Unlock()
	s := State{Over: f.over, Answered: f.answered, Waits: f.waits != r.waits}
	r.waits = f.waits
	if r.joined && r.next < f.window.first {
		r.joined = false
	}
	if !r.joined {
		r.next, r.joined = f.window.find(r.after)
	}
	if s.Outside = !r.joined; s.Outside && r.after > f.window.last {
		f.noteLocked(0, r.after)
	}
	for r.joined && r.next < f.window.end() && len(into) < cap(into) {
		e := f.window.events[r.next-f.window.first]
		into = append(into, e)
		r.next++
		r.note(e)
	}
	if r.joined {
		f.noteLocked(r.next, 0)
	}
	f.trimLocked()
	if len(into) == 0 {
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		s.Changed = f.changed
		if s.Err = f.broke; s.Err != nil {
			f.broke = errPanicked
		}
	}
	return into, s
}

// Park has turn called, once, after the next change after a Read that returned changed,
// and maybe after Leave. It may read, and wait, and recovers from a panic of its own, as
// nobody else does. false: there was a change already.
func (r *Reader) Park(changed <-chan struct{}, turn func()) bool {
	r.from.mu.Lock()
	defer r.from.mu.Unlock()
	if now := (<-chan struct{})(r.from.changed); now != changed {
		return false
	}
	if r.turn == nil {
		r.from.parked++
	}
	r.turn = turn
	return true
}

func (r *Reader) note(e Event) {
	if e.Reset {
		r.after = 0
	} else if e.ID != 0 {
		r.after = e.ID
	}
}

// Page hands out events of the log itself that follow those the reader had, one at
// least, until the window has what follows them. Of one job a few pages are read at
// once: an engine that hangs holds no more connections. A page is the reader's until the
// next Read or Page: where slow readers have much, it is one event, so that they hold up
// nobody. An error is ErrNoMore, ctx's, or one of the source, which may be back later.
func (r *Reader) Page(ctx context.Context) (events []Event, err error) {
	r.release()
	f := r.from
	for _, pages := range []chan struct{}{f.pages, f.jobs.pages} {
		select {
		case pages <- struct{}{}:
			defer func() { <-pages }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if f.reaches(r.after) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	quiet := time.AfterFunc(pageTimeout, cancel)
	defer quiet.Stop()
	source, err := f.jobs.source.Open(ctx, f.job, r.after)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	size, room := 0, f.jobs.reserve()
	defer func() {
		r.holds = size
		f.jobs.held.Add(int64(size - room))
	}()
	for size == 0 || size < room {
		e, err := source.Next()
		if err == nil && !e.Reset && e.ID != 0 && e.ID <= r.after {
			err = errNotRising
		}
		if err != nil && len(events) > 0 {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		events = append(events, e)
		size += len(e.Block)
		r.note(e)
		quiet.Reset(pageQuiet)
		if e.Terminal || f.reaches(r.after) {
			break
		}
	}
	return events, nil
}

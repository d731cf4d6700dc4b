package joblog

import "context"

// Reader is one reader's cursor. It is not safe for concurrent use.
type Reader struct {
	from   *follower
	after  uint64 // id of the last event that was handed out
	joined bool   // next is valid
	next   uint64 // number in the window
	waits  uint64 // of the follower, as the reader has seen them
}

// State is what a Read found besides events.
type State struct {
	Over     Over
	Answered bool // the log was opened, once
	Waits    bool // since the last Read the follower began to wait for the log
	// Outside: the window is past the reader, or before it; Page reads on.
	Outside bool
	// Changed is closed at the next change. It is nil after a Read that handed out
	// events, which another Read has to follow.
	Changed <-chan struct{}
}

// Leave ends the reading.
func (r *Reader) Leave() { r.from.jobs.leave(r.from) }

// After returns the id of the last event that was handed out, the one that the reader
// came with before.
func (r *Reader) After() uint64 { return r.after }

// Read hands out the next events of the window, at most as many as into has room for.
// It waits for nothing.
func (r *Reader) Read(into []Event) ([]Event, State) {
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
	if len(into) == 0 {
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		s.Changed = f.changed
	}
	return into, s
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
// once: an engine that hangs holds no more connections. An error is ErrNoMore, ctx's,
// or one of the source, which may be back later.
func (r *Reader) Page(ctx context.Context) (events []Event, err error) {
	f := r.from
	select {
	case f.pages <- struct{}{}:
		defer func() { <-f.pages }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.reaches(r.after) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	source, err := f.jobs.source.Open(ctx, f.job, r.after)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	for size := 0; size < pageBytes; {
		e, err := source.Next()
		if err != nil && len(events) > 0 {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		if !e.Reset && e.ID != 0 && e.ID <= r.after {
			continue
		}
		events = append(events, e)
		size += len(e.Block)
		r.note(e)
		if e.Terminal || f.reaches(r.after) {
			break
		}
	}
	return events, nil
}

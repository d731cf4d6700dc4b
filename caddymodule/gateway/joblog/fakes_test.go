package joblog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

var (
	errBroken    = errors.New("the source broke off")
	errElsewhere = errors.New("the rest is elsewhere")

	theJob = Job{ID: "job", ProjectID: "project"}
)

// event returns an event of a size.
func event(id uint64, kind string, size int) Event {
	return Event{ID: id, Terminal: api.TerminalEvent(kind), Block: fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %0*d\n\n", id, kind, size, id)}
}

// reset is what a source begins with that has no event of the id that was named.
var reset = Event{Reset: true, Block: []byte("event: stream.reset\ndata: {}\n\n")}

// memory is a log that a test writes, and the source of it.
type memory struct {
	mu        sync.Mutex // guards the following fields
	events    []Event
	grown     chan struct{}
	frozen    chan struct{} // while it is open, nobody is answered
	breaksIn  func() int    // after how many events what is opened breaks off, 0 for never
	elsewhere bool
	opened    []uint64 // after which ids
	open      int
	mostOpen  int
}

func newMemory(n int) *memory {
	m := &memory{grown: make(chan struct{})}
	m.write(n, 10)
	return m
}

// write appends events of a size.
func (m *memory) write(n, size int) {
	for range n {
		m.append("job.progress", size)
	}
}

func (m *memory) append(kind string, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, event(uint64(len(m.events))+1, kind, size))
	close(m.grown)
	m.grown = make(chan struct{})
}

// freeze has nobody answered until thaw is called.
func (m *memory) freeze() (thaw func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frozen = make(chan struct{})
	return sync.OnceFunc(func() { close(m.frozen) })
}

// at returns the event that follows what was sent of those after an id, and what to
// wait for when there is none.
func (m *memory) at(after uint64) (e Event, ok bool, wait <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.frozen != nil {
		select {
		case <-m.frozen:
		default:
			return Event{}, false, m.frozen
		}
	}
	if after < uint64(len(m.events)) {
		return m.events[after], true, nil
	}
	return Event{}, false, m.grown
}

func (m *memory) Open(ctx context.Context, _ Job, after uint64) (Events, error) {
	m.mu.Lock()
	m.opened = append(m.opened, after)
	m.open++
	m.mostOpen = max(m.open, m.mostOpen)
	frozen, breaksIn := m.frozen, 0
	if m.breaksIn != nil {
		breaksIn = m.breaksIn()
	}
	m.mu.Unlock()
	r := &reading{log: m, ctx: ctx, after: after, breaksIn: breaksIn}
	if frozen != nil {
		select {
		case <-frozen:
		case <-ctx.Done():
			r.Close()
			return nil, ctx.Err()
		}
	}
	m.mu.Lock()
	last := uint64(len(m.events))
	over := last > 0 && m.events[last-1].Terminal
	m.mu.Unlock()
	switch {
	case over && after >= last:
		r.Close()
		return nil, ErrNoMore
	case after > last:
		r.reset = true
	}
	return r, nil
}

func (m *memory) Await(ctx context.Context, _ Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.elsewhere && ctx.Err() == nil
}

// counts returns how often the log was opened, and how often at once at most.
func (m *memory) counts() (opened []uint64, atOnce int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]uint64{}, m.opened...), m.mostOpen
}

type reading struct {
	log      *memory
	ctx      context.Context
	after    uint64
	reset    bool
	breaksIn int
	closed   bool
}

func (r *reading) Next() (Event, error) {
	if r.reset {
		r.reset, r.after = false, 0
		return reset, nil
	}
	for {
		e, ok, wait := r.log.at(r.after)
		if ok {
			if r.breaksIn == 1 {
				return Event{}, errBroken
			}
			r.breaksIn--
			r.after++
			return e, nil
		}
		if r.after > 0 && r.log.ended(r.after) {
			return Event{}, io.EOF
		}
		select {
		case <-wait:
		case <-r.ctx.Done():
			return Event{}, r.ctx.Err()
		}
	}
}

func (m *memory) ended(after uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return after <= uint64(len(m.events)) && m.events[after-1].Terminal
}

func (r *reading) Close() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.log.open--
	}
}

// stuck is a log, and the source of it, whose events all have one id.
type stuck struct {
	id   uint64
	sent atomic.Int64
}

func (s *stuck) Open(context.Context, Job, uint64) (Events, error) { return s, nil }

func (s *stuck) Await(ctx context.Context, _ Job) bool {
	<-ctx.Done()
	return false
}

func (s *stuck) Next() (Event, error) {
	if s.sent.Add(1) > 1000 {
		return Event{}, io.EOF
	}
	return event(s.id, "job.progress", 10), nil
}

func (s *stuck) Close() {}

// slow is an empty log, and the source of it, one of whose methods goes on when its context
// is done, until a test says so.
type slow struct {
	what  string
	goOn  chan struct{}
	asked atomic.Int64 // at once
	ctx   context.Context
}

// answer returns what is said by which of the methods: nothing, once its context is done,
// or at once by those that come before the slow one.
func (s *slow) answer(ctx context.Context, by string) error {
	s.asked.Add(1)
	defer s.asked.Add(-1)
	if by != s.what {
		return nil
	}
	<-ctx.Done()
	<-s.goOn
	return ctx.Err()
}

func (s *slow) Open(ctx context.Context, _ Job, _ uint64) (Events, error) {
	s.ctx = ctx
	return s, s.answer(ctx, "Open")
}

func (s *slow) Next() (Event, error) {
	if err := s.answer(s.ctx, "Next"); err != nil {
		return Event{}, err
	}
	return Event{}, io.EOF
}

func (s *slow) Await(ctx context.Context, _ Job) bool { return s.answer(ctx, "Await") == nil }

func (s *slow) Close() {}

// read reads until the log is over, and calls each with every event.
func read(ctx context.Context, r *Reader, each func(Event)) error {
	var room [8]Event
	for {
		events, s := r.Read(room[:0])
		if s.Outside && s.Answered && s.Over != Elsewhere {
			var err error
			events, err = r.Page(ctx)
			switch {
			case errors.Is(err, ErrNoMore):
				return nil
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				time.Sleep(time.Millisecond)
				continue
			case len(events) == 0:
				continue
			}
		}
		for _, e := range events {
			each(e)
			if e.Terminal {
				return nil
			}
		}
		switch {
		case len(events) > 0:
			continue
		case s.Over == Complete:
			return nil
		case s.Over == Elsewhere:
			return errElsewhere
		}
		select {
		case <-s.Changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// readAll returns the ids that a reader gets which comes with one.
func readAll(t *testing.T, jobs *Jobs, after uint64) []uint64 {
	t.Helper()
	r := jobs.Join(theJob, after)
	defer r.Leave()
	var ids []uint64
	if err := read(t.Context(), r, func(e Event) { ids = append(ids, e.ID) }); err != nil {
		t.Error(err)
	}
	return ids
}

// checkDense fails the test unless ids are those from after on to last, each once.
func checkDense(t *testing.T, ids []uint64, after, last uint64) {
	t.Helper()
	for _, id := range ids {
		if after++; id != after {
			t.Errorf("got event %d, want %d", id, after)
			return
		}
	}
	if after != last {
		t.Errorf("the last event is %d, want %d", after, last)
	}
}

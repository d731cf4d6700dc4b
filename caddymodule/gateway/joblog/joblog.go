// Package joblog follows the event log of a job once for all who read it: one
// connection to its engine, a bounded window of the newest events in memory, and a
// cursor for each reader. A reader that has fallen behind the window reads on from the
// log itself.
package joblog

import (
	"context"
	"errors"
	"sync"
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

// Bounds of what is kept of one job's log.
const (
	maxEvents = 1024
	maxBytes  = 256 << 10
)

// Bounds of reading behind the window: bytes of a page, which holds one event at
// least, pages of one job at once, and how long one may take.
const (
	pageBytes   = 64 << 10
	pagesAtOnce = 4
	pageTimeout = 5 * time.Second
)

// How long a log that broke off is left alone. The wait doubles while no event comes.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = time.Second
)

// Jobs are the jobs that are followed. It is safe for concurrent use.
type Jobs struct {
	source Source

	mu   sync.Mutex // guards open
	open map[Job]*follower
}

// New returns the jobs of a source, of which none is followed yet.
func New(source Source) *Jobs { return &Jobs{source: source, open: make(map[Job]*follower)} }

// Len returns how many jobs are followed.
func (j *Jobs) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.open)
}

// Join returns a reader of a job's events after an id. The first one has the job
// followed from there. Leave must be called once.
func (j *Jobs) Join(job Job, after uint64) *Reader {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.open[job]
	if f == nil {
		ctx, cancel := context.WithCancel(context.Background())
		f = newFollower(j, job, after)
		f.cancel = cancel
		j.open[job] = f
		go f.run(ctx)
	}
	f.readers++
	return &Reader{from: f, after: after, waits: f.waitsBefore()}
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

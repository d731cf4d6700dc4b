package decisionlog

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
)

// Mode says what a log does that can't keep up or can't write.
type Mode string

// The modes of a log.
const (
	// BestEffort drops records and counts them.
	BestEffort Mode = "best_effort"
	// Required refuses further decisions: what is not recorded does not
	// happen.
	Required Mode = "required"
)

// FileName is the log's name in the data directory of a service.
const FileName = "decisions.jsonl"

// Defaults of Options.
const (
	DefaultMaxBytes = 32 << 20
	DefaultKeep     = 4
	DefaultQueue    = 4096
	// retryAfter is how long a required log waits after a failed write.
	retryAfter = time.Second
)

// ErrNotRecorded is returned for a decision that a required log can't take:
// the caller fails closed.
var ErrNotRecorded = errors.New("the decision could not be recorded")

// Options of a Log; zero fields get their defaults.
type Options struct {
	// Path of the log. A full one is renamed to Path.1, that one to Path.2 and
	// so on.
	Path string
	Mode Mode
	// MaxBytes is how large the log may be before it is renamed, Keep how many
	// renamed ones are kept.
	MaxBytes int64
	Keep     int
	// Queue is how many records may wait to be written.
	Queue int
	// Sample is the share of allowed requests that are recorded, from 0 to 1.
	// Refusals and failures always are.
	Sample float64
	// Logger and Counters may be nil.
	Logger   *zap.Logger
	Counters *Counters
}

// Entry is a decision that was made.
type Entry struct {
	At    time.Time
	Took  time.Duration
	Input policy.Input
	// Evaluator decided: its revision is recorded, and its mask applied.
	Evaluator *policy.Evaluator
	Decision  policy.Decision
	Err       error // why there was no decision
	// RequestID and ProjectID are those of Record.
	RequestID, ProjectID string
	// Repeats says that anyone can cause any number of like decisions. A few of them are
	// recorded in a minute, and all are counted.
	Repeats bool
	// Page says that a user who is signed in can cause any number of like decisions. More of
	// them are recorded in a minute than people look at pages, and the others counted.
	Page bool
	// Path and Count are those of Record; a Path of "" is Path.
	Path  string
	Count int64

	id string // of the record; "" is a new one
}

// Log writes decisions to a file, behind the back of whoever makes them. It is
// safe for concurrent use.
type Log struct {
	o       Options
	file    *rotated
	queue   chan Entry
	repeats repeats
	broken  atomic.Bool // the last write failed
	closing chan struct{}
	close   sync.Once
	done    chan struct{}
}

// Validate checks the options.
func (o Options) Validate() error {
	switch {
	case o.Mode != "" && o.Mode != BestEffort && o.Mode != Required:
		return fmt.Errorf("decision log: the mode must be %s or %s, is %q", BestEffort, Required, o.Mode)
	case o.MaxBytes < 0 || o.Keep < 0 || o.Queue < 0:
		return errors.New("decision log: sizes and counts can't be negative")
	case o.Sample < 0 || o.Sample > 1:
		return fmt.Errorf("decision log: sample must be from 0 to 1, is %g", o.Sample)
	}
	return nil
}

// Open opens the log for appending, readable by its owner only, and begins to
// write.
func Open(o Options) (*Log, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.complete()
	file, err := openRotated(o.Path, o.MaxBytes, o.Keep)
	if err != nil {
		return nil, err
	}
	l := &Log{o: o, file: file, queue: make(chan Entry, o.Queue), closing: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l, nil
}

func (o *Options) complete() {
	o.Mode = cmp.Or(o.Mode, BestEffort)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Keep = cmp.Or(o.Keep, DefaultKeep)
	o.Queue = cmp.Or(o.Queue, DefaultQueue)
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	o.Counters = cmp.Or(o.Counters, NewCounters())
}

// Add hands a decision to the log and does not wait. It returns ErrNotRecorded
// only of a required log, when its queue is full or its disk fails.
func (l *Log) Add(e Entry) error {
	_, err := l.add(e)
	return err
}

// AddNamed is Add, and returns the id of the record, "" for a decision that has none of its
// own.
func (l *Log) AddNamed(e Entry) (id string, err error) {
	e.id = newID(e.At)
	if recorded, err := l.add(e); !recorded {
		return "", err
	}
	return e.id, nil
}

func (l *Log) add(e Entry) (recorded bool, err error) {
	if e.Path != ReplayPath && e.Err == nil && e.Decision.Allow && l.o.Sample < 1 && rand.Float64() >= l.o.Sample {
		return false, nil
	}
	if l.o.Mode == Required && l.broken.Load() {
		l.o.Counters.refused.Inc()
		return false, fmt.Errorf("%w: the log can't be written to", ErrNotRecorded)
	}
	if (e.Repeats || e.Page) && e.Err == nil && l.repeats.hold(e) {
		return false, nil
	}
	select {
	case l.queue <- e:
		return true, nil
	default:
	}
	if l.o.Mode == Required {
		l.o.Counters.refused.Inc()
		return false, fmt.Errorf("%w: %d records wait to be written", ErrNotRecorded, l.o.Queue)
	}
	l.o.Counters.dropped.Inc()
	return false, nil
}

// Path returns where the log is.
func (l *Log) Path() string { return l.o.Path }

// Close writes what was added and closes the file. Closing twice is allowed.
func (l *Log) Close() error {
	l.close.Do(func() { close(l.closing) })
	<-l.done
	return l.file.close()
}

// run writes entries until the log is closed, and then those that are left.
func (l *Log) run() {
	defer close(l.done)
	windows := time.NewTicker(window)
	defer windows.Stop()
	for {
		select {
		case e := <-l.queue:
			l.write(e)
		case <-windows.C:
			l.writeRepeats()
		case <-l.closing:
			for {
				select {
				case e := <-l.queue:
					l.write(e)
				default:
					l.writeRepeats()
					return
				}
			}
		}
	}
}

func (l *Log) writeRepeats() {
	for _, e := range l.repeats.take() {
		l.write(e)
	}
}

// write writes one entry. A required log tries until it succeeds; nothing else
// is recorded meanwhile. Of what can't be masked is written that it was.
func (l *Log) write(e Entry) {
	line, err := render(e)
	if err != nil {
		l.o.Counters.unmasked.Inc()
		l.o.Logger.Error("decision recorded without its input and result, it can't be masked", zap.Error(err))
	}
	if len(line) == 0 { // it could not even be encoded
		l.o.Counters.dropped.Inc()
		return
	}
	for {
		err := l.file.write(line, func() { l.keep(e.Evaluator) })
		if err == nil {
			l.o.Counters.written.Inc()
			l.note(nil)
			return
		}
		l.note(err)
		if l.o.Mode != Required || !l.wait() {
			l.o.Counters.dropped.Inc()
			return
		}
	}
}

// keep keeps the policy of a record.
func (l *Log) keep(e *policy.Evaluator) {
	if err := l.file.policies.keep(e); err != nil {
		l.o.Logger.Error("policy not kept with the decision log", zap.Error(err))
	}
}

// wait returns true when it is time for the next try, and false when the log is closed.
func (l *Log) wait() bool {
	select {
	case <-time.After(retryAfter):
		return true
	case <-l.closing:
		return false
	}
}

// note says so once when the log breaks, and when it works again.
func (l *Log) note(err error) {
	was := l.broken.Swap(err != nil)
	switch {
	case err != nil && !was:
		l.o.Counters.broken.Set(1)
		l.o.Logger.Error("decision log can't be written to", zap.Error(err))
	case err == nil && was:
		l.o.Counters.broken.Set(0)
		l.o.Logger.Info("decision log is written to again")
	}
}

// Package jobs runs a project's jobs: it accepts them durably, runs them one
// at a time in order of acceptance, reports what happens through their event
// logs and the project's feed, and finds its way back after a crash.
//
// The truth about a job is its job.json, replaced whole at each transition.
// The event and the feed record that report a transition follow it, in this
// order; what a crash kept from being written is written by the next Recover.
// Storage that fails in the middle of a job ends Run: the next start then goes
// by what is on disk.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/feed"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/journal"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/engine/workspace"
)

const (
	// MaxQueued is how many jobs may wait for their turn.
	MaxQueued = contract.MaxQueued
	// Retain is how long an ended job is kept.
	Retain = 30 * 24 * time.Hour
)

// Errors of the methods of Manager.
var (
	ErrUnknown   = errors.New("there is no such job")
	ErrFenced    = errors.New("the job id is fenced")
	ErrDraining  = errors.New("the engine takes no new jobs")
	ErrQueueFull = errors.New("the project's queue is full")
	ErrBusy      = errors.New("the engine has work")
	ErrNoFiles   = errors.New("the job has no files")
	// ErrDropped: the job's files made room for others.
	ErrDropped = errors.New("the job's files were dropped")
	// ErrNotStored: the disk refused the job, which is not accepted.
	ErrNotStored = errors.New("the job could not be stored")
	// ErrUndecided: the disk failed so late that the job may turn out to be
	// accepted. A fence decides it.
	ErrUndecided = errors.New("the acceptance of the job is undecided")
	// ErrOtherFeed: an acknowledgement names the feed of another volume.
	ErrOtherFeed = errors.New("the acknowledgement is for another feed")
)

// Config is what a Manager needs.
type Config struct {
	// Dir is the project's volume. Only one Manager can have it open.
	Dir       string
	ProjectID string
	Generator gen.Generator
	Log       *zap.Logger
	// Limits bound the volume.
	Limits Limits
	// TimeLimit is how long a job may work; default by its reasoning level.
	TimeLimit time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Manager has a project's jobs. Its methods are safe for concurrent use.
type Manager struct {
	cfg     Config
	lock    io.Closer
	feed    *feed.Feed
	space   *workspace.Workspace
	history *revs.Store
	fences  *journal.File
	wake    chan struct{} // holds a token when the queue may have grown
	fatal   chan error    // holds the error that ends Run

	// unreturned is closed when the generator of an earlier job, which did not stop
	// in time, has returned. Only Run uses it.
	unreturned <-chan struct{}

	// opened ends when the volume is given up, which waits for checks.
	opened context.Context
	shut   context.CancelFunc
	checks sync.WaitGroup

	// working is held while a job works on the project's files or a person changes
	// them, saving while a person does. Who has saving only tries to take working.
	working, saving sync.Mutex

	// admission makes accepting, fencing and draining exclude each other. It
	// is held while the disk works, and taken before mu.
	admission sync.Mutex

	mu           sync.Mutex // guards the following fields, and the jobs'
	jobs         map[string]*job
	accepted     []*job   // in order of acceptance
	asked        []string // ids of jobs that run in another order than that of acceptance
	queue        []*job
	running      *job
	later        map[string]laterEdit // by path in the game
	interrupted  []*job               // ended by Recover, their end not yet in the feed
	fenced       map[string]bool
	locks        []string          // paths of the game's files; replaced, never changed
	built        map[string][]byte // the game as the running job built it last, nil for none
	checked      *contract.Check   // the last check, or that which is under way; replaced, never changed
	draining     bool
	lastActivity time.Time
}

// Open locks the volume and opens it. It returns disk.ErrLocked when another
// engine has it. Nothing but Recover may be called before Recover.
func Open(cfg Config) (*Manager, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Limits = cfg.Limits.complete()
	m := &Manager{
		cfg: cfg, jobs: map[string]*job{}, fenced: map[string]bool{},
		wake: make(chan struct{}, 1), fatal: make(chan error, 1),
	}
	m.opened, m.shut = context.WithCancel(context.Background())
	if err := m.open(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Manager) open() error {
	if err := makeDirs(m.cfg.Dir, m.jobsDir()); err != nil {
		return err
	}
	var err error
	if m.lock, err = disk.Lock(filepath.Join(m.cfg.Dir, "lock")); err != nil {
		return fmt.Errorf("locking volume: %w", err)
	}
	if m.space, err = workspace.Open(filepath.Join(m.cfg.Dir, "workspace")); err != nil {
		return err
	}
	if err := errors.Join(m.openHistory(), m.openLater(), m.openLocks()); err != nil {
		return err
	}
	var cut int64
	if m.feed, cut, err = feed.Open(filepath.Join(m.cfg.Dir, "feed")); err != nil {
		return err
	}
	m.logCut("feed", cut)
	if err := m.openFences(); err != nil {
		return err
	}
	m.Touch()
	return nil
}

// Close gives the volume up. Run must have returned.
func (m *Manager) Close() error {
	m.shut()
	m.checks.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, j := range m.accepted {
		if j.log != nil {
			errs = append(errs, j.log.Close())
		}
	}
	if m.fences != nil {
		errs = append(errs, m.fences.Seal())
	}
	if m.feed != nil {
		errs = append(errs, m.feed.Close())
	}
	if m.history != nil {
		errs = append(errs, m.history.Close())
	}
	if m.space != nil {
		errs = append(errs, m.space.Close())
	}
	if m.lock != nil {
		errs = append(errs, m.lock.Close())
	}
	return errors.Join(errs...)
}

// Run works off the queue until ctx ends, and then returns nil. A job that
// runs at that moment is left as it is: the next Recover ends it. Run returns an
// error when the volume fails, or the generator of a job that has ended does not
// stop: the next start then goes on with the waiting jobs.
func (m *Manager) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failed := make(chan error, 1)
	go func() {
		select {
		case err := <-m.fatal:
			failed <- err
			stop(err)
		case <-ctx.Done():
		}
	}()
	err := m.loop(ctx)
	select {
	case err = <-failed:
	default:
	}
	if err != nil && !errors.Is(err, errAbandoned) {
		return fmt.Errorf("running jobs: %w", err)
	}
	return nil
}

func (m *Manager) loop(ctx context.Context) error {
	if err := m.announceInterrupted(ctx); err != nil {
		return err
	}
	m.joinLeft(ctx)
	for ctx.Err() == nil { // a job that is begun now would be lost
		if err := m.sweep(); err != nil {
			return err
		}
		jobCtx, cancel := context.WithCancelCause(ctx)
		if j := m.next(cancel); j != nil {
			if err := m.workAlone(ctx, jobCtx, j, cancel); err != nil {
				return err
			}
			continue
		}
		cancel(nil)
		if err := m.inherit(nil); err != nil { // the next job tries again, and fails for it
			m.cfg.Log.Error("workspace unusable", zap.Error(err))
		}
		select {
		case <-ctx.Done():
		case <-m.wake:
		}
	}
	return nil
}

// joinLeft brings in what was saved while a job worked that a crash ended.
func (m *Manager) joinLeft(ctx context.Context) {
	m.saving.Lock()
	defer m.saving.Unlock()
	m.working.Lock()
	defer m.working.Unlock()
	m.joinLater(ctx)
}

// workAlone takes a job from its start to its announced end. jobCtx is the job's own: its
// cause says why it is interrupted. The error is errAbandoned, or the volume's.
func (m *Manager) workAlone(ctx, jobCtx context.Context, j *job, cancel context.CancelCauseFunc) error {
	err := m.workOnFiles(ctx, jobCtx, j)
	if err == nil {
		err = m.announce(ctx, j)
	}
	m.finished()
	cancel(nil)
	return err
}

// workOnFiles takes a job to its stored end while nobody else changes the project's files.
// Who sees that end finds them free: what a person asks for meanwhile waits. Only a generator
// that has not returned keeps them longer, and its job's end is announced without.
func (m *Manager) workOnFiles(ctx, jobCtx context.Context, j *job) error {
	m.working.Lock()
	v, err := m.attempt(jobCtx, j)
	hold := sync.OnceFunc(m.saving.Lock)
	if m.unreturned == nil {
		hold()
	}
	if err == nil {
		err = m.conclude(j, v)
	}
	if err == nil && m.unreturned != nil {
		err = m.announce(ctx, j)
		if err == nil {
			err = m.awaitUnreturned(ctx)
		}
	}
	hold() // before working is given back: an edit joins here, or finds no job
	defer m.saving.Unlock()
	defer m.working.Unlock()
	if err == nil {
		m.joinLater(ctx)
	}
	return err
}

// next takes the first job of the queue to run it; cancel interrupts it.
func (m *Manager) next(cancel context.CancelCauseFunc) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil
	}
	j := m.queue[0]
	m.queue = m.queue[1:]
	m.running, j.cancel = j, cancel
	return j
}

func (m *Manager) finished() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running.cancel = nil
	m.running, m.built = nil, nil
}

// fail ends Run with err, the first time.
func (m *Manager) fail(err error) {
	select {
	case m.fatal <- err:
	default:
	}
}

// now returns the time as records carry it.
func (m *Manager) now() time.Time { return m.cfg.Now().UTC().Truncate(time.Millisecond) }

// Touch notes that the engine is in use.
func (m *Manager) Touch() {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastActivity = now
}

func (m *Manager) jobsDir() string { return filepath.Join(m.cfg.Dir, "jobs") }

func (m *Manager) logCut(what string, bytes int64) {
	if bytes > 0 {
		m.cfg.Log.Warn("torn end cut off", zap.String("file", what), zap.Int64("bytes", bytes))
	}
}

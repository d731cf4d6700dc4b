package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// ErrClosed is returned by every use of a store that is closed.
var ErrClosed = errors.New("the store is closed")

// ErrInDoubt is returned, wrapped, by an Update whose commit was not answered:
// whether it took place is open.
var ErrInDoubt = errors.New("the database did not say whether the write was committed")

// Store is a database that is open. It is safe for concurrent use.
type Store struct {
	db      []*sql.DB
	idle    chan *conn // connections for reading that nobody uses
	writing writing
	shared  bool

	turns    chan struct{} // those that unhurried reads have taken
	patience time.Duration // of unhurried reads

	mu      sync.Mutex // guards closed, and updates from growing once it is set
	closed  bool
	updates sync.WaitGroup
	gone    chan struct{} // closed together with the store

	reads, writes counts

	held *os.File // locked until the store is closed, nil for none
}

// writing is how a store runs the operations of Update.
type writing interface {
	update(ctx context.Context, fn func(*Tx) error) error
	connections() Connections
	// close is called once, when no update is under way.
	close() error
}

// newStore returns the store that writes through w and reads from the first of
// the databases, which it closes in the end.
func newStore(d *dialect, w writing, readers int, db ...*sql.DB) *Store {
	s := &Store{db: db, idle: make(chan *conn, readers), writing: w, shared: d.shared, gone: make(chan struct{}),
		turns: make(chan struct{}, readers/2), patience: DefaultPatience}
	for range readers {
		s.idle <- newConn(db[0], d, d.beginRead)
	}
	return s
}

// Update runs fn in a transaction and returns once what it wrote is on disk. An
// error of fn undoes what fn wrote and nothing else, and is returned as it is.
//
// fn must not wait for anything but the database. It may run more than once:
// operations that got in each other's way on PostgreSQL, or share a commit on
// SQLite with one that failed, begin again. What it found
// out counts only when Update returns nil: the commit may still fail. When the
// connection breaks during the commit, the error is an ErrInDoubt. ctx is looked
// at until fn begins; after that Update waits for the outcome, so that no other
// caller is left in doubt.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.updates.Add(1)
	s.mu.Unlock()
	defer s.updates.Done()
	err := s.writing.update(ctx, fn)
	s.writes.note(err)
	return err
}

// Shared reports whether other processes write to the same database, so that
// this one doesn't know of every change.
func (s *Store) Shared() bool { return s.shared }

// View runs fn on one snapshot of what is committed. It waits for no writer.
// fn must not call View or Update.
func (s *Store) View(ctx context.Context, fn func(*Reader) error) error { return s.view(ctx, nil, fn) }

// view is Glance, or with a nil glance View.
func (s *Store) view(ctx context.Context, glance, fn func(*Reader) error) (err error) {
	defer func() { s.reads.note(err) }()
	leave, err := s.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var c *conn
	select {
	case c = <-s.idle:
	case <-s.gone:
		return ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("waiting to read: %w", ctx.Err())
	}
	defer func() {
		s.idle <- c
		// Of a connection that the context's end has closed the driver may say
		// no more than that it is closed.
		if ctx.Err() != nil && errors.Is(err, sql.ErrConnDone) {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}()
	// A context that has ended would cost the connection.
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("waiting to read: %w", err)
	}
	r := &Reader{ctx: ctx, conn: c}
	if glance != nil && c.sql != nil {
		if glance(r) == nil {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reading: %w", err)
		}
	}
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("beginning to read: %w", err)
	}
	defer func() { err = errors.Join(err, c.end("ROLLBACK")) }()
	return fn(r)
}

// Close waits for what is under way and closes the database. Closing twice is
// allowed.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.gone)

	s.updates.Wait()
	errs := []error{s.writing.close()}
	for range cap(s.idle) {
		errs = append(errs, (<-s.idle).discard())
	}
	for _, db := range s.db {
		errs = append(errs, db.Close())
	}
	if s.held != nil {
		errs = append(errs, unlockFile(s.held))
	}
	return errors.Join(errs...)
}

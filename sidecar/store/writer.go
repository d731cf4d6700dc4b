package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	driver "modernc.org/sqlite"
)

const (
	// maxGroup bounds the operations of one commit, and with it how long the
	// first of them waits for the last.
	maxGroup = 256
	// yields is how often the writer lets others run before it commits, so that
	// operations which are about to be handed in share the disk flush. Without
	// it most commits hold one operation: 3,700 against 11,200 submissions a
	// second.
	yields = 2
	// cautious is how many operations run behind savepoints after one has failed.
	// Savepoints slow small operations by a tenth to a fifth (BenchmarkGroup), so
	// that they are set only where failures are likely: they come in bursts, as
	// of clients over their limits.
	cautious = maxGroup
)

// errLocked: the writer waits for another process to end its transaction, a
// backup for one.
var errLocked = errors.New("another process holds the database's lock")

// operation is a call of Update that waits for the writer.
type operation struct {
	ctx context.Context
	run func(*Tx) error
	// taken is set by whoever is first: the writer, which then runs the
	// operation, or the caller, who then leaves without it.
	taken atomic.Bool
	ran   bool
	err   error
	done  chan struct{} // closed once err is final
}

// writer is the one goroutine that writes, on a store that has no other.
type writer struct {
	conn      *conn
	queue     chan *operation // closed by close
	stopped   chan struct{}
	group     []*operation // of the transaction that is open
	beginning atomic.Bool  // a transaction, which waits for a lock at most
	busy      atomic.Int32 // 1 during a transaction
	caution   int          // operations from here on that run behind savepoints
}

func startWriter(c *conn) *writer {
	w := &writer{conn: c, queue: make(chan *operation, maxGroup), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// update hands fn to the writer and waits for its commit, or until ctx ends
// while fn has not begun.
func (w *writer) update(ctx context.Context, fn func(*Tx) error) error {
	op := &operation{ctx: ctx, run: fn, done: make(chan struct{})}
	select {
	case w.queue <- op:
	case <-ctx.Done():
		return w.gaveUp(ctx)
	}
	select {
	case <-op.done:
	case <-ctx.Done():
		if op.taken.CompareAndSwap(false, true) {
			return w.gaveUp(ctx)
		}
		<-op.done
	}
	return op.err
}

// gaveUp is the error of a caller who could not wait any longer.
func (w *writer) gaveUp(ctx context.Context) error {
	if w.beginning.Load() {
		return fmt.Errorf("waiting for the store's writer: %w: %w", errLocked, ctx.Err())
	}
	return fmt.Errorf("waiting for the store's writer: %w", ctx.Err())
}

// connections: there is one, used while somebody waits for its commit.
func (w *writer) connections() Connections {
	return Connections{Used: int(w.busy.Load()), Most: 1}
}

func (w *writer) close() error {
	close(w.queue)
	<-w.stopped
	return w.conn.discard()
}

func (w *writer) loop() {
	defer close(w.stopped)
	for op := range w.queue {
		w.busy.Store(1)
		err := w.commit(op)
		w.busy.Store(0)
		for _, op := range w.group {
			if op.err == nil && err != nil {
				op.err = fmt.Errorf("writing to the store: %w", err)
			}
			close(op.done)
		}
		clear(w.group)
	}
}

// commit runs first and whatever else is waiting in one transaction. Its error
// is that of the transaction: then no operation of the group took place.
func (w *writer) commit(first *operation) error {
	w.group = append(w.group[:0], first)
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.execute(first); err != nil {
		return errors.Join(err, w.conn.discard())
	}
	for yielded := 0; len(w.group) < maxGroup; {
		select {
		case op, open := <-w.queue:
			if !open {
				return w.conn.end("COMMIT")
			}
			w.group = append(w.group, op)
			if err := w.execute(op); err != nil {
				return errors.Join(err, w.conn.discard())
			}
			yielded = 0
			continue
		default:
		}
		if yielded == yields {
			break
		}
		yielded++
		runtime.Gosched()
	}
	return w.conn.end("COMMIT")
}

func (w *writer) begin() error {
	w.beginning.Store(true)
	defer w.beginning.Store(false)
	return w.conn.start(context.Background())
}

// execute runs one operation. Its error means that the transaction is lost: a
// full disk, for one, makes SQLite roll all of it back.
func (w *writer) execute(op *operation) error {
	if !op.taken.CompareAndSwap(false, true) {
		return nil
	}
	if err := op.ctx.Err(); err != nil {
		op.err = fmt.Errorf("waiting for the store's writer: %w", err)
		return nil
	}
	op.ran = true
	if w.caution > 0 {
		w.caution--
		return w.executeApart(op)
	}
	w.conn.wrote = false
	w.run(op)
	// A refusal that wrote nothing has nothing to undo. An error of SQLite's own
	// may have ended the transaction, whatever the statement was.
	var failed *driver.Error
	if op.err == nil || !w.conn.wrote && !errors.As(op.err, &failed) {
		return nil
	}
	return w.again()
}

// again undoes the group and runs it once more, so that each operation that
// fails undoes itself alone.
func (w *writer) again() error {
	w.caution = cautious
	if err := w.conn.exec(context.Background(), "ROLLBACK"); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	for _, op := range w.group {
		if !op.ran {
			continue
		}
		if err := w.executeApart(op); err != nil {
			return err
		}
	}
	return nil
}

// executeApart runs an operation behind a savepoint.
func (w *writer) executeApart(op *operation) error {
	background := context.Background()
	if err := w.conn.exec(background, "SAVEPOINT operation"); err != nil {
		return err
	}
	if w.run(op); op.err != nil {
		if err := w.conn.exec(background, "ROLLBACK TO SAVEPOINT operation"); err != nil {
			return err
		}
	}
	return w.conn.exec(background, "RELEASE SAVEPOINT operation")
}

// run calls an operation. The context of its statements never ends: an
// interrupted statement would undo the transaction of all the others.
func (w *writer) run(op *operation) {
	op.err = op.run(&Tx{Reader{ctx: context.Background(), conn: w.conn}})
}

// Interface guards
var _ writing = (*writer)(nil)

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/svc-games/svc/peer"
)

// Conditions under which PostgreSQL undoes a transaction that would succeed if
// it ran again.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
)

// maxAttempts bounds how often an operation runs. Operations take their locks
// in one order, so that even a second time is rare.
const maxAttempts = 5

// retryPause is the longest pause before an operation runs again; its length
// is random.
const retryPause = 20 * time.Millisecond

// errSwallowed: a statement failed, and the operation went on as if it had not.
// PostgreSQL would take its COMMIT for a ROLLBACK and report success.
var errSwallowed = errors.New("a statement of the transaction failed")

// pool runs each operation in a transaction of its own, on one of several
// connections.
type pool struct {
	dialect *dialect
	idle    chan *conn
}

func newPool(db *sql.DB, d *dialect, size int) *pool {
	p := &pool{dialect: d, idle: make(chan *conn, size)}
	for range size {
		p.idle <- newConn(db, d, d.beginWrite)
	}
	return p
}

func (p *pool) update(ctx context.Context, fn func(*Tx) error) error {
	var c *conn
	select {
	case c = <-p.idle:
	case <-ctx.Done():
		return fmt.Errorf("waiting to write to the store: %w", ctx.Err())
	}
	defer func() { p.idle <- c }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("waiting to write to the store: %w", err)
	}
	for attempt := 1; ; attempt++ {
		err := p.attempt(c, fn)
		var refused *pgconn.PgError
		again := errors.As(err, &refused) && (refused.Code == serializationFailure || refused.Code == deadlockDetected)
		if !again || attempt == maxAttempts {
			return err
		}
		// At once it could overtake the operation that it lost to, and meet it
		// again in the next deadlock.
		if !peer.Sleep(ctx, rand.N(retryPause)) {
			return err
		}
	}
}

// attempt runs an operation once. The context of its statements is bounded but
// not the caller's: pgx would close the connection of one that is interrupted.
func (p *pool) attempt(c *conn, fn func(*Tx) error) error {
	ctx, cancel := p.dialect.bounded()
	defer cancel()
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("writing to the store: %w", err)
	}
	if err := fn(&Tx{Reader{ctx: ctx, conn: c}}); err != nil {
		return errors.Join(err, c.end("ROLLBACK"))
	}
	broken, err := p.dialect.broken(c.sql)
	if err == nil && broken {
		err = errSwallowed
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing to the store: %w", err), c.discard())
	}
	if err := c.end("COMMIT"); err != nil {
		// Only what leaves the connection as it is was surely not done.
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.SeverityUnlocalized != "ERROR" {
			err = fmt.Errorf("%w: %w", ErrInDoubt, err)
		}
		return fmt.Errorf("writing to the store: %w", err)
	}
	return nil
}

func (p *pool) connections() Connections {
	return Connections{Used: cap(p.idle) - len(p.idle), Most: cap(p.idle)}
}

func (p *pool) close() error {
	var errs []error
	for range cap(p.idle) {
		errs = append(errs, (<-p.idle).discard())
	}
	return errors.Join(errs...)
}

// Interface guards
var _ writing = (*pool)(nil)

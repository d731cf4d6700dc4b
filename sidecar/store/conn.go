package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// conn is one connection and its prepared statements: the statements of the
// program are few and fixed, so none is ever dropped. A connection that failed
// to begin or to end a transaction is thrown away, and the next transaction
// opens another; so the store recovers by itself when its database does.
type conn struct {
	db         *sql.DB
	dialect    *dialect
	begin      string
	sql        *sql.Conn // nil until it is used
	statements map[string]*sql.Stmt
	lookups    map[string]lookup // statements of Numbers
	// wrote is set by each statement that isn't a SELECT; whoever wants to know
	// clears it before.
	wrote bool
}

func newConn(db *sql.DB, d *dialect, begin string) *conn {
	return &conn{db: db, dialect: d, begin: begin}
}

// start opens the connection if need be and begins a transaction.
func (c *conn) start(ctx context.Context) error {
	for {
		used := c.sql != nil
		if !used {
			if err := c.open(); err != nil {
				return fmt.Errorf("connecting: %w", err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		err := c.exec(ctx, c.begin)
		if err == nil {
			return nil
		}
		err = errors.Join(err, c.discard())
		if !used || !c.dialect.redial {
			return err
		}
	}
}

// open opens the connection. It takes longer than the callers may wait whose
// deadlines are short, and is then there for the next of them.
func (c *conn) open() error {
	ctx, cancel := c.dialect.bounded()
	defer cancel()
	opened, err := c.db.Conn(ctx)
	if err != nil {
		return oneLine{err}
	}
	c.sql, c.statements, c.lookups = opened, make(map[string]*sql.Stmt), make(map[string]lookup)
	return nil
}

// oneLine is an error in one line; pgx writes one for each address it tried.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

// Unwrap returns the error as it was.
func (e oneLine) Unwrap() error { return e.error }

// end ends the transaction with COMMIT or ROLLBACK, whatever became of the
// context it was begun with.
func (c *conn) end(verb string) error {
	ctx, cancel := c.dialect.bounded()
	defer cancel()
	if err := c.exec(ctx, verb); err != nil {
		return errors.Join(err, c.discard())
	}
	return nil
}

// exec runs a statement without arguments.
func (c *conn) exec(ctx context.Context, query string) error {
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

func (c *conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	c.wrote = c.wrote || !strings.HasPrefix(query, "SELECT")
	if stmt := c.statements[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.sql.PrepareContext(ctx, c.dialect.rebind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %q: %w", query, err)
	}
	c.statements[query] = stmt
	return stmt, nil
}

// discard closes the connection and with it a transaction it may be in.
func (c *conn) discard() error {
	if c.sql == nil {
		return nil
	}
	// SQLite keeps a connection whose statements are open. That one which broke
	// can't close them is no news.
	for _, stmt := range c.statements {
		_ = stmt.Close()
	}
	c.closeLookups()
	// A pooled connection would keep its open transaction: ErrBadConn makes
	// database/sql close it.
	_ = c.sql.Raw(func(any) error { return driver.ErrBadConn })
	err := c.sql.Close()
	if errors.Is(err, sql.ErrConnDone) {
		err = nil
	}
	c.sql, c.statements, c.lookups = nil, nil, nil
	return err
}

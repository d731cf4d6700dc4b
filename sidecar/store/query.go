package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNoRows is returned by Row.Scan when the query found nothing.
var ErrNoRows = sql.ErrNoRows

// Reader runs queries on one snapshot.
type Reader struct {
	ctx  context.Context
	conn *conn
}

// Tx runs the queries and statements of one operation.
type Tx struct {
	Reader
}

// Row is the first row of a query's result.
type Row struct {
	row *sql.Row
	err error
}

// Scan copies the row's columns, or returns ErrNoRows.
func (r Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.row.Scan(dest...)
}

// Scan copies the columns of the row at hand.
type Scan func(dest ...any) error

// Row runs a query for its first row. There is none for a text that the database
// can't hold.
func (r *Reader) Row(query string, args ...any) Row {
	if err := r.conn.dialect.check(args); err != nil {
		return Row{err: err}
	}
	stmt, err := r.conn.prepare(r.ctx, query)
	if err != nil {
		return Row{err: err}
	}
	return Row{row: stmt.QueryRowContext(r.ctx, args...)}
}

// Now returns the time of clock or, when it is nil, the store's: PostgreSQL's
// own, which all sidecars share, and the process's for SQLite.
func (r *Reader) Now(clock func() time.Time) (time.Time, error) {
	switch {
	case clock != nil:
		return clock(), nil
	case r.conn.dialect.clock == "":
		return time.Now(), nil
	}
	var ms int64
	if err := r.Row(r.conn.dialect.clock).Scan(&ms); err != nil {
		return time.Time{}, fmt.Errorf("reading the database's clock: %w", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// Each runs a query and calls fn for each row of its result. fn must not run
// another query before the last row. What is looked for by a text that the
// database can't hold is not there.
func (r *Reader) Each(fn func(scan Scan) error, query string, args ...any) error {
	if err := r.conn.dialect.check(args); err != nil {
		if strings.HasPrefix(query, "SELECT") {
			return nil
		}
		return err
	}
	stmt, err := r.conn.prepare(r.ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(r.ctx, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// Exec runs a statement and returns how many rows it changed. It fails with an
// ErrNoRows for a text that the database can't hold, whether it was to be found
// or written.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	if err := t.conn.dialect.check(args); err != nil {
		return 0, err
	}
	stmt, err := t.conn.prepare(t.ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Lock locks the rows that a query finds until the operation is committed, in
// the order of the query's result. On a store with one writer nothing needs to
// be locked: the query is not run there, and may be PostgreSQL's own SQL.
func (t *Tx) Lock(query string, args ...any) error {
	d := t.conn.dialect
	if d.lockRows == "" {
		return nil
	}
	return t.Each(func(Scan) error { return nil }, query+d.lockRows, args...)
}

// LockRow is Lock for the first row that a query finds, or returns ErrNoRows.
// On a store with one writer it returns nil: whether the row is there is for
// the next query to find out.
func (t *Tx) LockRow(query string, args ...any) error {
	d := t.conn.dialect
	if d.lockRows == "" {
		return nil
	}
	var found any
	return t.Row(query+d.lockRows, args...).Scan(&found)
}

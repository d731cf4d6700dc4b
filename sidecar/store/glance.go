package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// Glance is View where one query of the data may say enough. glance runs that alone, on a
// snapshot of its own, which saves the statements around one; where it fails, fn is run
// as by View.
func (s *Store) Glance(ctx context.Context, glance, fn func(*Reader) error) error {
	return s.view(ctx, glance, fn)
}

// errNumber is the error of Numbers for a column of another kind.
var errNumber = errors.New("a column holds no whole number")

// Numbers reads the first row of a query, whose columns hold whole numbers, or returns
// ErrNoRows. Its arguments are texts and int64s. It is for what is asked for again and
// again: it passes by database/sql, which takes longer than SQLite does.
func (r *Reader) Numbers(into []int64, query string, args ...any) error {
	if err := r.conn.dialect.check(args); err != nil {
		return err
	}
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return r.conn.sql.Raw(func(driven any) error {
		stmt, err := r.conn.lookup(r.ctx, driven, query)
		if err != nil {
			return err
		}
		rows, err := stmt.QueryContext(r.ctx, named)
		if err != nil {
			return err
		}
		return errors.Join(firstNumbers(rows, into), rows.Close())
	})
}

// firstNumbers copies the first row.
func firstNumbers(rows driver.Rows, into []int64) error {
	values := make([]driver.Value, len(into))
	if err := rows.Next(values); errors.Is(err, io.EOF) {
		return ErrNoRows
	} else if err != nil {
		return err
	}
	for i, value := range values {
		number, ok := value.(int64)
		if !ok {
			return errNumber
		}
		into[i] = number
	}
	return nil
}

// lookup is a statement as the driver has it.
type lookup interface {
	driver.Stmt
	driver.StmtQueryContext
}

// lookup returns a query's statement on the driver's connection.
func (c *conn) lookup(ctx context.Context, driven any, query string) (lookup, error) {
	if stmt := c.lookups[query]; stmt != nil {
		return stmt, nil
	}
	preparer, ok := driven.(driver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("preparing %q: %T prepares nothing", query, driven)
	}
	prepared, err := preparer.PrepareContext(ctx, c.dialect.rebind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %q: %w", query, err)
	}
	stmt, ok := prepared.(lookup)
	if !ok {
		return nil, errors.Join(fmt.Errorf("preparing %q: %T takes no context", query, prepared), prepared.Close())
	}
	c.lookups[query] = stmt
	return stmt, nil
}

// closeLookups closes the statements of a connection that is to be closed.
func (c *conn) closeLookups() {
	_ = c.sql.Raw(func(any) error { // else the connection broke
		for _, stmt := range c.lookups {
			_ = stmt.Close()
		}
		return nil
	})
}

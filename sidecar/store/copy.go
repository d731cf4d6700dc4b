package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// copyRows is how many rows one statement of a copy writes.
const copyRows = 200

// ErrNotEmpty is returned by Copy for a database that holds something.
var ErrNotEmpty = errors.New("the database that is copied to is not empty")

// Table is what Copy found in a table, and found again in its copy.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Snapshot writes a SQLite database as it is at one moment to a file that is not there
// yet, readable by its owner only. A service that has the database open goes on.
func Snapshot(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil { // SQLite would make the file
		return fmt.Errorf("copying %s: %w", from, err)
	}
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	db, err := openSQLite(from, 1, busyTimeout)
	if err == nil {
		_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
		err = errors.Join(err, db.Close())
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("copying %s: %w", from, err), os.Remove(to))
	}
	return nil
}

// Copy copies every row of a database to another one, which must hold none, in one
// transaction on one snapshot, and compares both before it commits. One address is a
// PostgreSQL URL and the other a SQLite file; the schema of the one that is copied to
// is brought up to date. Its errors don't hold the password.
func Copy(ctx context.Context, from, to string) ([]Table, error) {
	return CopyOf(ctx, from, to, main)
}

// CopyOf is Copy for tables of another schema.
func CopyOf(ctx context.Context, from, to string, schema Schema) (copied []Table, err error) {
	if IsPostgresURL(from) == IsPostgresURL(to) {
		return nil, errors.New("a copy leads from SQLite to PostgreSQL, or back")
	}
	// One of an earlier version that is in use would be lost to its own service.
	if err := CheckEmptyOf(ctx, to, schema); err != nil {
		return nil, fmt.Errorf("copying: %w", err)
	}
	if err := makeTables(ctx, to, schema); err != nil {
		return nil, err
	}
	found, db, err := openSource(from)
	if err != nil {
		return nil, fmt.Errorf("copying: %w", err)
	}
	d := *found
	d.schema = &schema
	source := newConn(db, &d, d.beginRead)
	defer func() { err = errors.Join(err, source.discard(), db.Close()) }()
	if err := source.start(ctx); err != nil {
		return nil, fmt.Errorf("beginning to read: %w", err)
	}
	defer func() { err = errors.Join(err, source.end("ROLLBACK")) }()
	if err := checkVersion(&Reader{ctx: ctx, conn: source}); err != nil {
		return nil, fmt.Errorf("%w: start the service once, which brings it up to date", err)
	}
	w, err := openBulk(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	out, err := w.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("beginning to write: %w", err)
	}
	c := copying{ctx: ctx, source: source, out: out, toPostgres: IsPostgresURL(to), steps: schema.Steps}
	if copied, err = c.run(); err != nil {
		return nil, errors.Join(fmt.Errorf("copying: %w", err), out.Rollback())
	}
	if err := out.Commit(); err != nil {
		return nil, fmt.Errorf("committing the copy: %w", err)
	}
	return copied, nil
}

// makeTables brings a database's schema up to date.
func makeTables(ctx context.Context, address string, schema Schema) error {
	open := OpenSQLiteOf
	if IsPostgresURL(address) {
		open = OpenPostgresOf
	}
	s, err := open(ctx, address, schema)
	if err != nil {
		return err
	}
	return s.Close()
}

// openSource opens the database that is read.
func openSource(address string) (*dialect, *sql.DB, error) {
	if !IsPostgresURL(address) {
		return openReadOnly(address)
	}
	db, err := openBulk(address)
	return &postgres, db, err
}

// openBulk opens a database for one long transaction. References are checked by
// PostgreSQL alone, which has them from its parents' order.
func openBulk(address string) (*sql.DB, error) {
	if !IsPostgresURL(address) {
		return openSQLite(address, 1, busyTimeout, useLog, "synchronous(FULL)")
	}
	config, err := postgresConfig(address)
	if err != nil {
		return nil, err
	}
	// Between two statements the other end is at work, which may take long.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	return config.open(), nil
}

// copying is one copy under way.
type copying struct {
	ctx        context.Context
	source     *conn
	out        *sql.Tx
	toPostgres bool
	steps      string // the table that records the schema
}

// run copies all tables, parents first, and compares them.
func (c *copying) run() ([]Table, error) {
	names, err := c.tables()
	if err != nil {
		return nil, err
	}
	if err := c.clear(names); err != nil {
		return nil, err
	}
	tables := make([]Table, len(names))
	for i, name := range names {
		t := &table{name: name}
		if err := t.copy(c); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		tables[i] = Table{Name: name, Rows: t.read.rows}
	}
	return tables, nil
}

// tables are those of the SQLite end, parents before what refers to them.
func (c *copying) tables() ([]string, error) {
	query := func(text string) (*sql.Rows, error) { return c.source.sql.QueryContext(c.ctx, text) }
	if !c.toPostgres {
		query = func(text string) (*sql.Rows, error) { return c.out.QueryContext(c.ctx, text) }
	}
	const list = `SELECT m.name, coalesce(group_concat(DISTINCT f."table"), '') FROM sqlite_master m
		LEFT JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' GROUP BY m.name ORDER BY m.name`
	rows, err := query(list)
	if err != nil {
		return nil, fmt.Errorf("listing tables: %w", err)
	}
	parents := make(map[string][]string)
	var names []string
	for rows.Next() {
		var name, of string
		if err := rows.Scan(&name, &of); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if name != c.steps {
			names = append(names, name)
			parents[name] = strings.FieldsFunc(of, func(r rune) bool { return r == ',' })
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("listing tables: %w", err)
	}
	// Which key is a studio's is known before the key, as it is where one is made: a
	// user's others are counted without it. That reference is looked at last.
	parents["studio_keys"] = slices.DeleteFunc(parents["studio_keys"], func(name string) bool { return name == "keys" })
	parents["keys"] = append(parents["keys"], "studio_keys")
	return parentsFirst(names, parents), nil
}

// parentsFirst sorts tables so that each stands behind those that it refers to.
func parentsFirst(names []string, parents map[string][]string) []string {
	var sorted []string
	var add func(name string)
	add = func(name string) {
		if slices.Contains(sorted, name) {
			return
		}
		for _, parent := range parents[name] {
			if parent != name {
				add(parent)
			}
		}
		sorted = append(sorted, name)
	}
	for _, name := range names {
		add(name)
	}
	return sorted
}

// clear deletes the rows that a new database has, and refuses one that has others.
func (c *copying) clear(names []string) error {
	for _, name := range slices.Backward(names) {
		if name == "heads" { // every database has its rows
			if _, err := c.out.ExecContext(c.ctx, "DELETE FROM heads"); err != nil {
				return err
			}
			continue
		}
		var some bool
		if err := c.out.QueryRowContext(c.ctx, "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&some); err != nil {
			return err
		}
		if some {
			return fmt.Errorf("%w: it has rows in %s", ErrNotEmpty, name)
		}
	}
	return nil
}

// table is one table on its way.
type table struct {
	name    string
	columns []string
	pending []any // values of rows that are not written yet
	read    tally
}

// tally is what is compared: it does not depend on the order of rows.
type tally struct {
	rows int64
	sum  uint64
}

func (t *tally) add(values []any) {
	h := sha256.New()
	for _, v := range values {
		if raw, ok := v.([]byte); ok {
			v = string(raw)
		}
		fmt.Fprintf(h, "%T %v\n", v, v)
	}
	t.rows++
	t.sum += binary.BigEndian.Uint64(h.Sum(nil))
}

func (t *table) copy(c *copying) error {
	// One column more or less on one end is an error of the query there.
	rows, err := c.source.sql.QueryContext(c.ctx, "SELECT * FROM "+t.name)
	if err != nil {
		return err
	}
	if t.columns, err = rows.Columns(); err != nil {
		return errors.Join(err, rows.Close())
	}
	err = each(rows, len(t.columns), func(values []any) error {
		t.read.add(values)
		t.pending = append(t.pending, values...)
		if len(t.pending) < copyRows*len(t.columns) {
			return nil
		}
		return t.flush(c)
	})
	if err == nil {
		err = t.flush(c)
	}
	if err != nil {
		return err
	}
	var written tally
	again, err := c.out.QueryContext(c.ctx, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name)
	if err != nil {
		return err
	}
	if err := each(again, len(t.columns), func(values []any) error {
		written.add(values)
		return nil
	}); err != nil {
		return err
	}
	if written != t.read {
		return fmt.Errorf("its copy differs: %d rows, and %d were read", written.rows, t.read.rows)
	}
	return nil
}

// each calls fn with the values of each row.
func each(rows *sql.Rows, columns int, fn func([]any) error) error {
	for rows.Next() {
		values, into := make([]any, columns), make([]any, columns)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return errors.Join(err, rows.Close())
		}
		if err := fn(values); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// flush writes the rows that are pending.
func (t *table) flush(c *copying) error {
	if len(t.pending) == 0 {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "INSERT INTO %s (%s) VALUES ", t.name, strings.Join(t.columns, ", "))
	for i := range t.pending {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%len(t.columns) == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		if c.toPostgres {
			fmt.Fprintf(&text, "$%d", i+1)
		} else {
			text.WriteString("?")
		}
	}
	text.WriteString(")")
	_, err := c.out.ExecContext(c.ctx, text.String(), t.pending...)
	t.pending = t.pending[:0]
	return err
}

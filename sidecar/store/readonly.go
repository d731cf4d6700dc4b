package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
)

// SQLiteFile is the name of a SQLite store in the data directory.
const SQLiteFile = "svc.db"

// ErrOtherVersion is returned, wrapped, by ReadOnly for a database whose schema
// is not the newest that this svc knows.
var ErrOtherVersion = errors.New("the schema has another version")

// ReadOnly runs fn on one snapshot of a database: address is a PostgreSQL URL or
// the path of a SQLite file. It migrates nothing and makes no file; a service
// that has the database open goes on. The end of ctx ends the query under way.
// Its errors don't hold the password.
func ReadOnly(ctx context.Context, address string, fn func(*Reader) error) error {
	return ReadOnlyOf(ctx, address, main, fn)
}

// ReadOnlyOf is ReadOnly for a database, or tables, of another schema. Its error is an
// fs.ErrNotExist where there are none.
func ReadOnlyOf(ctx context.Context, address string, schema Schema, fn func(*Reader) error) error {
	return readOnly(ctx, address, schema, func(r *Reader) error {
		if err := checkVersion(r); err != nil {
			return err
		}
		return fn(r)
	})
}

// readOnly is ReadOnlyOf for tables of any version.
func readOnly(ctx context.Context, address string, schema Schema, fn func(*Reader) error) (err error) {
	found, db, err := openReadOnly(address)
	if err != nil {
		return err
	}
	d := *found
	d.schema = &schema
	c := newConn(db, &d, d.beginRead)
	defer func() { err = errors.Join(err, c.discard(), db.Close()) }()
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("beginning to read: %w", err)
	}
	defer func() { err = errors.Join(err, c.end("ROLLBACK")) }()
	return fn(&Reader{ctx: ctx, conn: c})
}

func openReadOnly(address string) (*dialect, *sql.DB, error) {
	if IsPostgresURL(address) {
		config, err := postgresConfig(address)
		if err != nil {
			return nil, nil, err
		}
		return &postgres, config.open(), nil
	}
	if err := find(address); err != nil { // SQLite would make the file
		return nil, nil, err
	}
	// Not mode=ro: who closes the log last puts it in the database, and would
	// leave the files of the log behind if it could not write.
	db, err := openSQLite(address, 1, busyTimeout, "query_only(1)")
	return &sqlite, db, err
}

// maxFaults bounds what CheckFile returns.
const maxFaults = 3

// CheckFile reads all of a SQLite file, which a service may have open, and returns what is
// wrong with its pages and indexes. Its error is an fs.ErrNotExist where there is none.
func CheckFile(ctx context.Context, path string) (faults []string, err error) {
	_, db, err := openReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults))
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("checking %s: %w", path, err)
		}
		if one != "ok" {
			faults = append(faults, one)
		}
	}
	return faults, rows.Err()
}

// checkVersion returns an ErrOtherVersion unless the schema is the newest.
func checkVersion(r *Reader) error {
	steps, err := migrations(r.conn.dialect)
	if err != nil {
		return err
	}
	table := r.conn.dialect.schema.Steps
	if r.conn.dialect.name == postgres.name {
		var made bool
		if err := r.Row("SELECT to_regclass(?) IS NOT NULL", table).Scan(&made); err != nil {
			return fmt.Errorf("reading the schema's version: %w", err)
		}
		if !made {
			return fmt.Errorf("reading the schema's version: table %s: %w", table, fs.ErrNotExist)
		}
	}
	var version int
	if err := r.Row("SELECT coalesce(max(version), 0) FROM " + r.conn.dialect.schema.Steps).Scan(&version); err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	if version > len(steps) {
		return fmt.Errorf("%w: %w", ErrOtherVersion, newer(version, len(steps)))
	}
	if version != len(steps) {
		return fmt.Errorf("%w: %d, and this svc's is %d", ErrOtherVersion, version, len(steps))
	}
	return nil
}

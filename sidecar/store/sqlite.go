package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"golang.org/x/sys/unix"
	driver "modernc.org/sqlite" // the driver named "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/svc-games/svc/peer"
)

// readers is how many snapshots of a SQLite database can be read at once.
const readers = 4

// busyTimeout is how many milliseconds a connection waits for a lock that
// another process holds, a backup for one.
const busyTimeout = 5000

// migrationTimeout is busyTimeout of a connection that brings the schema up to date:
// another process may be at that, which takes longer than any other write.
const migrationTimeout = 60_000

// busyPause is how long connect waits before it tries again.
const busyPause = 10 * time.Millisecond

const (
	// checkpointPages is how many pages of 4 KiB the log holds before they are
	// copied into the database, which stops the writer. Under load SQLite's
	// 1,000 are full many times a second, mostly of the same pages.
	checkpointPages = 4000
	// cacheKiB is how much the writer keeps of the database in memory; SQLite's
	// 2,000 are less than the pages that it writes to between two checkpoints.
	cacheKiB = 16 << 10
)

// useLog has a database written by way of a log, beside which it can be read.
const useLog = "journal_mode(WAL)"

var sqlite = dialect{name: "sqlite", schema: &main, beginWrite: "BEGIN IMMEDIATE", beginRead: "BEGIN"}

// OpenSQLite opens the database file at path, makes it (readable by its owner
// only) when it is not there, and brings its schema up to date. A database of a
// newer version is refused with ErrNewer, one that is seized with ErrInUse, one that was
// set aside with ErrMoved.
func OpenSQLite(ctx context.Context, path string) (*Store, error) {
	held, err := lockFile(path, unix.LOCK_SH)
	if err != nil {
		return nil, err
	}
	s, err := OpenSQLiteOf(ctx, path, main)
	if err != nil {
		return nil, errors.Join(err, unlockFile(held))
	}
	s.held = held
	return s, nil
}

// OpenSQLiteOf is OpenSQLite for a database of another schema.
func OpenSQLiteOf(ctx context.Context, path string, schema Schema) (*Store, error) {
	d := sqlite
	d.schema = &schema
	if err := find(path); errors.Is(err, ErrMoved) {
		return nil, fmt.Errorf("opening %w", err)
	}
	if err := ownFile(path); err != nil {
		return nil, err
	}
	if err := migrateSQLite(ctx, path, &d); err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	write, err := openSQLite(path, 1, busyTimeout, useLog, "synchronous(FULL)", "foreign_keys(1)",
		fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages), fmt.Sprintf("cache_size(-%d)", cacheKiB))
	if err != nil {
		return nil, err
	}
	read, err := openSQLite(path, readers, busyTimeout, useLog, "query_only(1)")
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return newStore(&d, startWriter(newConn(write, &d, d.beginWrite)), readers, read, write), nil
}

// migrateSQLite brings the schema up to date on a connection of its own, which checks
// no references: a row whose parent is missing is copied as it is, as any row that
// breaks a new constraint.
func migrateSQLite(ctx context.Context, path string, d *dialect) error {
	db, err := openSQLite(path, 1, migrationTimeout, useLog, "synchronous(FULL)")
	if err != nil {
		return err
	}
	c := newConn(db, d, d.beginWrite)
	err = connect(ctx, db)
	if err == nil {
		err = migrate(ctx, c)
	}
	return errors.Join(err, c.discard(), db.Close())
}

// connect makes a database's first connection. SQLite waits for others' locks by
// itself, but not when two processes turn the log of a new database on.
func connect(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, migrationTimeout*time.Millisecond)
	defer cancel()
	for {
		err := db.PingContext(ctx)
		var refused *driver.Error
		if !errors.As(err, &refused) || refused.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
		if !peer.Sleep(ctx, busyPause) {
			return err
		}
	}
}

// ownFile makes the file, or narrows its mode; SQLite gives the files of its
// log the same mode.
func ownFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// openSQLite opens connections that wait for others' locks for busy milliseconds.
func openSQLite(path string, conns, busy int, pragmas ...string) (*sql.DB, error) {
	query := url.Values{"_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busy)}, pragmas...)}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

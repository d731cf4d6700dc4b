package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"time"
)

// ErrNewer is returned, wrapped, for a database that a later version of svc
// wrote: this one doesn't know what it would break.
var ErrNewer = errors.New("the database was written by a newer version of svc")

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Schema is how the tables of a database are made, step by step.
type Schema struct {
	Files fs.FS  // with the folder migrations
	Steps string // the table that records them
}

// main is the schema of the store.
var main = Schema{Files: migrationFiles, Steps: "schema_steps"}

var migrationName = regexp.MustCompile(`^(\d{4})_([a-z_]+?)(?:\.(sqlite|postgres))?\.sql$`)

// migration is one step of the schema: a file for both dialects, or one for each.
// Steps are never changed once released; a change is another step.
type migration struct {
	version int
	name    string
	sql     string
}

// migrations returns the steps of a dialect in order, numbered from 1 without a gap.
func migrations(d *dialect) ([]migration, error) {
	names, err := fs.Glob(d.schema.Files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]migration, 0, len(names))
	for _, path := range names {
		parts := migrationName.FindStringSubmatch(path[len("migrations/"):])
		if parts == nil {
			return nil, fmt.Errorf("migration %s: want a name like 0001_first.sql", path)
		}
		if only := parts[3]; only != "" && only != d.name {
			continue
		}
		version, err := strconv.Atoi(parts[1])
		if err != nil || version != len(steps)+1 {
			return nil, fmt.Errorf("migration %s: want number %d", path, len(steps)+1)
		}
		text, err := fs.ReadFile(d.schema.Files, path)
		if err != nil {
			return nil, err
		}
		steps = append(steps, migration{version: version, name: parts[2], sql: string(text)})
	}
	return steps, nil
}

// migrate brings the schema up to the newest version.
func migrate(ctx context.Context, c *conn) error {
	steps, err := migrations(c.dialect)
	if err != nil {
		return err
	}
	return migrateTo(ctx, c, steps)
}

// migrateTo brings the schema up to the last of steps, each in a transaction
// that also records it.
func migrateTo(ctx context.Context, c *conn, steps []migration) error {
	if err := inTransaction(ctx, c, func() error {
		_, err := c.sql.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+c.dialect.schema.Steps+` (
			version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`)
		return err
	}); err != nil {
		return fmt.Errorf("preparing the schema: %w", err)
	}
	for _, step := range steps {
		if err := inTransaction(ctx, c, func() error { return apply(ctx, c, step, len(steps)) }); err != nil {
			return fmt.Errorf("migrating the schema to version %d (%s): %w", step.version, step.name, err)
		}
	}
	return nil
}

// apply runs a step unless the database has it. The version is read inside the
// step's own transaction, so that two processes can't both apply it.
func apply(ctx context.Context, c *conn, step migration, newest int) error {
	var current int
	row := c.sql.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM "+c.dialect.schema.Steps)
	if err := row.Scan(&current); err != nil {
		return err
	}
	if current > newest {
		return newer(current, newest)
	}
	if current >= step.version {
		return nil
	}
	if _, err := c.sql.ExecContext(ctx, step.sql); err != nil {
		return err
	}
	stmt, err := c.prepare(ctx, "INSERT INTO "+c.dialect.schema.Steps+" (version, name, applied_at) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, step.version, step.name, time.Now().UnixMilli())
	return err
}

// newer is the ErrNewer of a database with a version of the schema that is above the newest.
func newer(version, newest int) error {
	return fmt.Errorf("%w: its schema has version %d, this svc knows versions up to %d; "+
		"run the newer svc, or restore a backup from before the upgrade", ErrNewer, version, newest)
}

func inTransaction(ctx context.Context, c *conn, fn func() error) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	if lock := c.dialect.lockSchema; lock != "" {
		if err := c.exec(ctx, lock); err != nil {
			return errors.Join(err, c.end("ROLLBACK"))
		}
	}
	if err := fn(); err != nil {
		return errors.Join(err, c.end("ROLLBACK"))
	}
	return c.end("COMMIT")
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
)

var createTable = regexp.MustCompile(`CREATE TABLE (\w+)`)

// CheckEmpty returns an ErrNotEmpty for a database that holds something of a service, of
// whatever version, and changes nothing.
func CheckEmpty(ctx context.Context, address string) error {
	return CheckEmptyOf(ctx, address, main)
}

// CheckEmptyOf is CheckEmpty for tables of another schema.
func CheckEmptyOf(ctx context.Context, address string, schema Schema) error {
	err := readOnly(ctx, address, schema, func(r *Reader) error {
		steps, err := migrations(r.conn.dialect)
		if err != nil {
			return err
		}
		for _, step := range steps {
			for _, match := range createTable.FindAllStringSubmatch(step.sql, -1) {
				if err := checkNoRows(r, match[1]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// checkNoRows returns an ErrNotEmpty for a table that is there and has rows that no new
// database has.
func checkNoRows(r *Reader, table string) error {
	if table == "heads" { // every database has its rows
		return nil
	}
	there := "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)"
	if r.conn.dialect.name == postgres.name {
		there = "SELECT to_regclass(?) IS NOT NULL"
	}
	var some bool
	err := r.Row(there, table).Scan(&some)
	if err == nil && some {
		err = r.Row("SELECT EXISTS (SELECT 1 FROM " + table + ")").Scan(&some)
	}
	if err != nil {
		return fmt.Errorf("looking for rows in %s: %w", table, err)
	}
	if some {
		return fmt.Errorf("%w: it has rows in %s", ErrNotEmpty, table)
	}
	return nil
}

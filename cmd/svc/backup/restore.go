package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// Restore makes a data directory of the backup in the folder from: dir is not there yet or
// empty. With the URL of a PostgreSQL database as address, which must hold nothing of a
// service, the store goes there and not into the directory. Every file of the backup is
// checked before anything is written. A restore that failed leaves the directory empty.
func Restore(ctx context.Context, from, dir, address string) (s Summary, err error) {
	s, paths, err := open(from)
	if err != nil {
		return s, fmt.Errorf("reading the backup in %s: %w", from, err)
	}
	for _, one := range paths {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		got, err := sumOf(filepath.Join(from, one.path))
		if err != nil {
			return s, fmt.Errorf("%w: %w", ErrNoBackup, err)
		}
		if got.sha256 != one.sha256 {
			return s, fmt.Errorf("%w: %s has changed since it was made", ErrNoBackup, one.path)
		}
	}
	undo, err := emptyDir(dir)
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	if _, err := copyTree(ctx, filepath.Join(from, dataDir), dir, func(string) bool { return false }); err != nil {
		return s, err
	}
	if store.IsPostgresURL(address) && s.Store != StoreNone {
		if err := toPostgres(ctx, dir, address); err != nil {
			return s, err
		}
	}
	return s, syncAll(dir)
}

// toPostgres moves the databases of a directory that no service works on.
func toPostgres(ctx context.Context, dir, address string) error {
	books, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	opened, err := store.OpenSQLite(ctx, books) // which brings it up to date
	if err == nil {
		err = opened.Close()
	}
	if err == nil {
		_, err = store.Copy(ctx, books, address)
	}
	if errors.Is(err, store.ErrNotEmpty) {
		return fmt.Errorf("%w: name a database of its own for svc", err)
	}
	if err != nil {
		return fmt.Errorf("restoring the store: %w", err)
	}
	if _, err := analytics.Copy(ctx, plays, address); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restoring what was played: the store is in the database already, which is to be emptied before the next attempt: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.db*"))
	for _, path := range found {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// open reads what a backup says of itself.
func open(from string) (s Summary, files []sum, err error) {
	raw, err := os.ReadFile(filepath.Join(from, summaryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, fmt.Errorf("%w: %s is missing, which is written last", ErrNoBackup, summaryFile)
	}
	if err != nil {
		return s, nil, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, nil, fmt.Errorf("%w: %s: %w", ErrNoBackup, summaryFile, err)
	}
	if s.Form != form {
		return s, nil, fmt.Errorf("it has the form %d, and this svc knows %d: use the svc that made it", s.Form, form)
	}
	text, err := os.ReadFile(filepath.Join(from, sumsFile))
	if err != nil {
		return s, nil, fmt.Errorf("%w: %w", ErrNoBackup, err)
	}
	if digest := sha256.Sum256(text); hex.EncodeToString(digest[:]) != s.Sums {
		return s, nil, fmt.Errorf("%w: %s is not the one of %s", ErrNoBackup, sumsFile, summaryFile)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		digest, path, _ := strings.Cut(lines.Text(), "  ")
		if path = filepath.FromSlash(path); !filepath.IsLocal(path) {
			return s, nil, fmt.Errorf("%w: %s names %q", ErrNoBackup, sumsFile, path)
		}
		files = append(files, sum{path: path, sha256: digest})
	}
	return s, files, lines.Err()
}

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
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// stageDir is where a restore puts files in the new data directory until all of them are
// there. What one that was killed left in it is removed by the next.
const stageDir = ".restoring"

// Restore makes a data directory of the backup in the folder from: dir is not there yet or
// empty. With the URL of a PostgreSQL database as address, which must hold nothing of a
// service, the store goes there and not into the directory. Every file of the backup is
// checked before anything is written; what its list does not name is no part of it. A
// restore that failed leaves the directory empty.
func Restore(ctx context.Context, from, dir, address string) (s Summary, err error) {
	if address != "" && address != StoreSQLite && !store.IsPostgresURL(address) {
		return s, store.ErrPostgresURL
	}
	s, files, err := open(from)
	if err != nil {
		return s, fmt.Errorf("reading the backup in %s: %w", from, err)
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return s, fmt.Errorf("reading the backup: %w", err)
	}
	defer root.Close()
	for _, one := range files {
		if err := one.read(ctx, root, io.Discard); err != nil {
			return s, fmt.Errorf("reading the backup in %s: %w", from, err)
		}
	}
	stage := filepath.Join(dir, stageDir)
	if err := os.RemoveAll(stage); err != nil {
		return s, fmt.Errorf("removing what an earlier restore left: %w", err)
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
	for _, one := range files {
		if err := one.restore(ctx, root, stage); err != nil {
			return s, fmt.Errorf("restoring %s: %w", one.path, err)
		}
	}
	if store.IsPostgresURL(address) && s.Store != StoreNone {
		if err := toPostgres(ctx, stage, address); err != nil {
			return s, err
		}
	}
	return s, settle(stage, dir)
}

// read reads the file from a backup's folder, and returns an ErrNoBackup unless it is the
// one that is listed.
func (one sum) read(ctx context.Context, root *os.Root, to io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := filepath.Join(dataDir, one.path)
	info, err := root.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoBackup, err)
	}
	f, err := root.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoBackup, err)
	}
	defer f.Close()
	digest := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, digest), f); err != nil {
		return err
	}
	if hex.EncodeToString(digest.Sum(nil)) != one.sha256 {
		return fmt.Errorf("%w: %s has changed since it was made", ErrNoBackup, path)
	}
	return nil
}

// restore copies the file to the same place below a folder.
func (one sum) restore(ctx context.Context, root *os.Root, below string) error {
	path := filepath.Join(below, one.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(one.read(ctx, root, f), f.Close())
}

// settle moves what was restored, when it is on disk, from the stage to where it belongs: the
// store last.
func settle(stage, dir string) error {
	if err := os.MkdirAll(stage, 0o700); err != nil { // there may have been nothing to restore but a store that is in PostgreSQL
		return fmt.Errorf("restoring: %w", err)
	}
	if err := giveTo(dir, stage); err != nil {
		return err
	}
	if err := syncAll(stage); err != nil {
		return err
	}
	entries, err := os.ReadDir(stage)
	if err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return isStore(a) - isStore(b) })
	for _, e := range entries {
		if err := os.Rename(filepath.Join(stage, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("restoring: %w", err)
		}
	}
	if err := os.Remove(stage); err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	return syncAll(dir)
}

// giveTo has root give all below a folder to the owner of another one, whose service is to
// read it.
func giveTo(ownersDir, below string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(ownersDir)
	if err != nil {
		return fmt.Errorf("restoring: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return filepath.WalkDir(below, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}

func isStore(e os.DirEntry) int {
	if e.Name() == store.SQLiteFile {
		return 1
	}
	return 0
}

// toPostgres moves the databases of a directory that no service works on.
func toPostgres(ctx context.Context, dir, address string) error {
	books, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	err := store.CheckEmpty(ctx, address)
	if err == nil {
		err = analytics.CheckEmpty(ctx, address)
	}
	if err == nil {
		var opened *store.Store
		if opened, err = store.OpenSQLite(ctx, books); err == nil { // which brings it up to date
			err = opened.Close()
		}
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
	for _, database := range []string{books, plays} {
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(database + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("restoring the store: %w", err)
			}
		}
	}
	return nil
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
		path, inside := strings.CutPrefix(path, dataDir+"/")
		if path = filepath.FromSlash(path); !inside || !filepath.IsLocal(path) {
			return s, nil, fmt.Errorf("%w: %s names %q", ErrNoBackup, sumsFile, path)
		}
		files = append(files, sum{path: path, sha256: digest})
	}
	return s, files, lines.Err()
}

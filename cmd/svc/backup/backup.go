// Package backup copies a data directory while the service works on it, and makes another
// one of the copy.
//
// A backup is a folder: data has the files of the data directory, with the store as a
// SQLite file whatever it was, SHA256SUMS their checksums in the form of sha256sum, and
// backup.json, which is written last, says what it is. A backup without it is none.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// Names in a backup.
const (
	summaryFile = "backup.json"
	sumsFile    = "SHA256SUMS"
	dataDir     = "data"
)

// form is that of a backup. Restore refuses another.
const form = 1

// projectsDir is where volumes are in a data directory.
const projectsDir = "projects"

// Kinds of stores.
const (
	StoreNone     = "none" // of an engine proxy on a machine of its own
	StoreSQLite   = "sqlite"
	StorePostgres = "postgres"
)

// Errors of Make and Restore.
var (
	// ErrNotEmpty: what is written to holds something.
	ErrNotEmpty = errors.New("it is not empty")
	// ErrNoBackup: a folder holds no backup that is whole.
	ErrNoBackup = errors.New("not a complete backup")
	// ErrNothing: there is nothing of a service in a data directory.
	ErrNothing = errors.New("there is no data of a service")
	// ErrNoStore: a data directory is a sidecar's, and its store is elsewhere.
	ErrNoStore = errors.New("the store is not there: name it in SVC_STORE, as the service does")
)

// Summary describes a backup.
type Summary struct {
	Form    int       `json:"form"`
	Begun   time.Time `json:"begun"` // what came later is not in it, or not all
	Ended   time.Time `json:"ended"`
	Store   string    `json:"store"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	Sums    string    `json:"sums"`    // SHA-256 of SHA256SUMS
	Volumes []Volume  `json:"volumes"` // not in it
}

// Volume is a project's volume, which is not in a backup: engines write to it all the time.
type Volume struct {
	ProjectID string `json:"projectId"`
	Place     string `json:"place"` // in the data directory, or the name of a claim
}

// Make makes a backup of a data directory in the folder to, which is not there yet or
// empty, and readable by its owner only. The store is the PostgreSQL database that address
// is the URL of, else the file in the directory. The service may go on meanwhile: the store
// is copied first, as it is at one moment, so that what it says is archived is copied after.
// A backup that failed is removed.
func Make(ctx context.Context, dir, address, to string, now func() time.Time) (s Summary, err error) {
	s = Summary{Form: form, Begun: now().UTC()}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return s, fmt.Errorf("reading the data directory: %w", err)
	}
	if err := apart(dir, to); err != nil {
		return s, err
	}
	if s.Store, err = kindOf(dir, address); err != nil {
		return s, err
	}
	undo, err := emptyDir(to)
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	data := filepath.Join(to, dataDir)
	if err := os.Mkdir(data, 0o700); err != nil {
		return s, fmt.Errorf("making the backup: %w", err)
	}
	if err := copyStore(ctx, s.Store, dir, address, data); err != nil {
		return s, err
	}
	sums, err := copyTree(ctx, dir, data, leftOut)
	if err != nil {
		return s, err
	}
	if s.Volumes, err = volumes(dir); err != nil {
		return s, err
	}
	return s, s.write(to, sums, now)
}

// write writes the checksums and, last, the summary.
func (s *Summary) write(to string, sums []sum, now func() time.Time) error {
	var text strings.Builder
	for _, one := range sums {
		fmt.Fprintf(&text, "%s  %s\n", one.sha256, filepath.ToSlash(filepath.Join(dataDir, one.path)))
		s.Files++
		s.Bytes += one.bytes
	}
	digest := sha256.Sum256([]byte(text.String()))
	s.Sums, s.Ended = hex.EncodeToString(digest[:]), now().UTC()
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("describing the backup: %w", err)
	}
	if err := writeFile(filepath.Join(to, sumsFile), []byte(text.String())); err != nil {
		return err
	}
	if err := syncAll(to); err != nil { // before the file that says that the rest is there
		return err
	}
	if err := writeFile(filepath.Join(to, summaryFile), raw); err != nil {
		return err
	}
	return syncAll(to)
}

// apart refuses a backup inside of what is copied.
func apart(dir, to string) error {
	absolute, err := filepath.Abs(to)
	if err != nil {
		return fmt.Errorf("finding the backup's folder: %w", err)
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(parent, filepath.Base(absolute))
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("finding the data directory: %w", err)
	}
	if rel, err := filepath.Rel(root, absolute); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s is in the data directory: name a folder outside of it, best on another disk", to)
	}
	return nil
}

// kindOf returns what store there is.
func kindOf(dir, address string) (string, error) {
	if store.IsPostgresURL(address) {
		return StorePostgres, nil
	}
	if address != "" && address != StoreSQLite {
		return "", store.ErrPostgresURL
	}
	_, err := os.Stat(filepath.Join(dir, store.SQLiteFile))
	if err == nil {
		return StoreSQLite, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the store: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, activation.KeptDir)); err == nil { // a sidecar works here
		return "", fmt.Errorf("%s: %w", dir, ErrNoStore)
	}
	if _, err := os.Stat(filepath.Join(dir, state.StatesDir)); err != nil {
		return "", fmt.Errorf("%s: %w", dir, ErrNothing)
	}
	return StoreNone, nil
}

// copyStore puts the store, and what was played, into the folder data as SQLite files.
func copyStore(ctx context.Context, kind, dir, address, data string) error {
	// Blocks of events are paid before they are used, so what was played is copied first:
	// all of it is paid in the books.
	books, plays := filepath.Join(data, store.SQLiteFile), filepath.Join(data, analytics.File)
	switch kind {
	case StorePostgres:
		if _, err := analytics.Copy(ctx, address, plays); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copying what was played: %w", err)
		}
		if _, err := store.Copy(ctx, address, books); err != nil {
			return fmt.Errorf("copying the store: %w", err)
		}
	case StoreSQLite:
		if err := store.Snapshot(ctx, filepath.Join(dir, analytics.File), plays); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return store.Snapshot(ctx, filepath.Join(dir, store.SQLiteFile), books)
	}
	return nil
}

// leftOut says of a name in the data directory that it is not copied: volumes, the
// databases themselves and what a move left of them, and what is made anew at every start.
func leftOut(name string) bool {
	for _, database := range []string{store.SQLiteFile, analytics.File} {
		if name == database || strings.HasPrefix(name, database+"-") || strings.HasPrefix(name, database+".") {
			return true
		}
	}
	return name == projectsDir || name == "run" || name == stageDir || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".token")
}

// volumes lists the projects' volumes.
func volumes(dir string) ([]Volume, error) {
	found := []Volume{}
	entries, err := os.ReadDir(filepath.Join(dir, projectsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing volumes: %w", err)
	}
	for _, e := range entries {
		if api.ValidProjectID(e.Name()) {
			found = append(found, Volume{ProjectID: e.Name(), Place: projectsDir + "/" + e.Name()})
		}
	}
	entries, err = os.ReadDir(filepath.Join(dir, state.StatesDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing volumes: %w", err)
	}
	for _, e := range entries {
		if !api.ValidProjectID(e.Name()) {
			continue
		}
		if known, err := state.ReadEntry(filepath.Join(dir, state.StatesDir, e.Name())); err == nil && known.VolumeElsewhere() {
			found = append(found, Volume{ProjectID: e.Name(), Place: "claim svc-volume-" + e.Name()})
		}
	}
	slices.SortFunc(found, func(a, b Volume) int { return strings.Compare(a.ProjectID, b.ProjectID) })
	return found, nil
}

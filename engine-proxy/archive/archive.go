// Package archive keeps what ended jobs left: record, event log and ZIP, one
// directory a job, complete or not there at all. What it takes in comes from
// engines and is checked before it is kept; it never reads an engine's volume.
package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Errors of a Store.
var (
	// ErrNotFound: nothing of this job is archived, or it left no ZIP.
	ErrNotFound = errors.New("not in the archive")
	// ErrRefused: what an engine sent can't be what the contract demands.
	// Pulling it again does not help.
	ErrRefused = errors.New("the archive refuses this")
)

// errDamaged: what is kept as a job's record is none.
var errDamaged = errors.New("damaged")

// Bounds of what is kept of one job, in bytes.
const (
	MaxFiles  = 64 << 20
	MaxEvents = 16 << 20
)

const (
	recordFile = "record.json"
	eventsFile = "events.jsonl"
	filesFile  = "files.zip"
	tempDir    = ".tmp"
)

// Store is an archive in a directory. It is safe for concurrent use.
type Store struct {
	dir string

	noted   atomic.Bool   // that byProjectDir has all jobs is known
	noting  chan struct{} // holds a token while somebody sees to that; guards notedTo
	notedTo string        // the last name that was seen to
}

// Open opens the archive in dir, creating it if need be, and clears what an
// interrupted Put left. It reads no list of jobs.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, noting: make(chan struct{}, 1)}
	for _, path := range []string{s.temp(), filepath.Join(dir, byProjectDir)} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("making archive: %w", err)
		}
	}
	entries, err := os.ReadDir(s.temp())
	if err != nil {
		return nil, fmt.Errorf("opening archive: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(s.temp(), e.Name())); err != nil {
			return nil, fmt.Errorf("clearing archive: %w", err)
		}
	}
	return s, nil
}

// temp is where folders are made before they become a job's, and go when they are no
// longer one's.
func (s *Store) temp() string { return filepath.Join(s.dir, tempDir) }

// Record returns the record of an archived job, or ErrNotFound.
func (s *Store) Record(jobID string) (contract.JobRecord, error) {
	var rec contract.JobRecord
	path, err := s.path(jobID)
	if err != nil {
		return rec, err
	}
	raw, err := os.ReadFile(filepath.Join(path, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return rec, ErrNotFound
	}
	if err != nil {
		return rec, fmt.Errorf("reading archived record of job %s: %w", jobID, err)
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return rec, fmt.Errorf("decoding archived record of job %s: %w: %w", jobID, errDamaged, err)
	}
	return rec, nil
}

// Files opens the ZIP of a job, or returns ErrNotFound. The caller closes it.
func (s *Store) Files(jobID string) (*os.File, contract.JobRecord, error) {
	rec, err := s.Record(jobID)
	if err != nil {
		return nil, rec, err
	}
	if rec.Files == nil {
		return nil, rec, ErrNotFound
	}
	f, err := os.Open(filepath.Join(s.dir, jobID, filesFile))
	if err != nil {
		return nil, rec, fmt.Errorf("opening archived files: %w", err)
	}
	return f, rec, nil
}

// drop renames a job's directory away first, so that no half of it is served.
func (s *Store) drop(jobID string) error {
	temp, err := os.MkdirTemp(s.temp(), "")
	if err != nil {
		return fmt.Errorf("deleting archived job: %w", err)
	}
	if err := os.Rename(filepath.Join(s.dir, jobID), filepath.Join(temp, jobID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting archived job: %w", err)
	}
	if err := os.RemoveAll(temp); err != nil {
		return fmt.Errorf("deleting archived job: %w", err)
	}
	return nil
}

// path returns a job's directory. An id that is not well-formed never becomes
// part of a path.
func (s *Store) path(jobID string) (string, error) {
	if !api.ValidJobID(jobID) {
		return "", ErrNotFound
	}
	return filepath.Join(s.dir, jobID), nil
}

// errTooLarge is the end of what an engine may send.
var errTooLarge = fmt.Errorf("%w: too large", ErrRefused)

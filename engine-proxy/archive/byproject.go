package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

const (
	// byProjectDir has a folder of each project, with an empty file for each of its jobs
	// that is there before the job is: to find them no other job's record is read.
	byProjectDir = "byproject"
	// allNoted is a file of byProjectDir once that has all jobs, those too of before there
	// was one. It holds the folder's inode: of a copy, which may have been made while jobs
	// came and went, all jobs are looked at again.
	allNoted = ".all"
	// formerTemp begins the names of what an interrupted Put left before there was tempDir.
	formerTemp = ".new-"
)

// Forget deletes every job of a project, and its snapshot. Whose a damaged job is that was
// kept before byProjectDir, nobody knows: Sweep deletes it.
func (s *Store) Forget(ctx context.Context, projectID string) error {
	if !api.ValidProjectID(projectID) {
		return nil // nothing is kept of one
	}
	if err := s.forgetSnapshot(projectID); err != nil {
		return err
	}
	all := s.noteAll(ctx)
	dir := s.ofProject(projectID)
	names, err := namesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return all
	}
	all = errors.Join(all, err)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return errors.Join(all, fmt.Errorf("deleting archived jobs: %w", err))
		}
		if !api.ValidJobID(name) {
			continue
		}
		if err := s.drop(name); err != nil {
			all = errors.Join(all, err)
			continue
		}
		all = errors.Join(all, s.unnote(projectID, name))
	}
	if all == nil {
		_ = os.Remove(dir) // it stays while something is in it
	}
	return all
}

func (s *Store) ofProject(projectID string) string {
	return filepath.Join(s.dir, byProjectDir, projectID)
}

// note notes whose a job is that will be kept, on disk.
func (s *Store) note(rec contract.JobRecord) error {
	if !api.ValidProjectID(rec.ProjectID) {
		return nil
	}
	fresh, err := s.noteSoon(rec)
	if err == nil {
		err = durable.SyncDir(s.ofProject(rec.ProjectID))
	}
	if err == nil && fresh {
		err = durable.SyncDir(filepath.Join(s.dir, byProjectDir))
	}
	if err != nil {
		return fmt.Errorf("noting whose job %s is: %w", rec.JobID, err)
	}
	return nil
}

// noteSoon is note without a wait for the disk. fresh: it is the project's first job.
func (s *Store) noteSoon(rec contract.JobRecord) (fresh bool, err error) {
	dir := s.ofProject(rec.ProjectID)
	err = os.Mkdir(dir, 0o700)
	fresh = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	f, err := os.OpenFile(filepath.Join(dir, rec.JobID), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fresh, err
	}
	return fresh, f.Close()
}

// unnote takes the note of a job away that is deleted.
func (s *Store) unnote(projectID, jobID string) error {
	if !api.ValidProjectID(projectID) {
		return nil
	}
	if err := os.Remove(filepath.Join(s.ofProject(projectID), jobID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting the note of an archived job: %w", err)
	}
	return nil
}

// noteAll notes the jobs that were kept before there was byProjectDir. It reads the record
// of each, once, and goes on where it was interrupted. One goroutine is at it at a time.
func (s *Store) noteAll(ctx context.Context) error {
	if s.noted.Load() {
		return nil
	}
	select {
	case s.noting <- struct{}{}:
		defer func() { <-s.noting }()
	case <-ctx.Done():
		return fmt.Errorf("waiting for all archived jobs to be noted: %w", ctx.Err())
	}
	if s.noted.Load() {
		return nil
	}
	dir := filepath.Join(s.dir, byProjectDir)
	var folder unix.Stat_t
	if err := unix.Stat(dir, &folder); err != nil {
		return fmt.Errorf("looking for the notes of archived jobs: %w", err)
	}
	mark, own := filepath.Join(dir, allNoted), strconv.FormatUint(folder.Ino, 10)
	if raw, err := os.ReadFile(mark); err != nil || string(raw) != own {
		if err := s.noteFormer(ctx); err != nil {
			return err
		}
		if err := syncDisk(dir); err != nil {
			return err
		}
		if err := durable.Replace(mark, []byte(own)); err != nil {
			return fmt.Errorf("noting archived jobs: %w", err)
		}
	}
	s.noted.Store(true)
	return nil
}

// noteFormer notes the jobs that are there, in the order of their ids. What an
// interrupted Put left among them it deletes.
func (s *Store) noteFormer(ctx context.Context) error {
	names, err := namesIn(s.dir)
	if err != nil {
		return err
	}
	begin, _ := slices.BinarySearch(names, s.notedTo)
	for _, name := range names[begin:] {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("noting archived jobs: %w", err)
		}
		if err := s.noteFormerOne(name); err != nil {
			return fmt.Errorf("noting archived jobs: %w", err)
		}
		s.notedTo = name
	}
	return nil
}

func (s *Store) noteFormerOne(name string) error {
	if strings.HasPrefix(name, formerTemp) {
		return os.RemoveAll(filepath.Join(s.dir, name))
	}
	rec, err := s.Record(name) // ErrNotFound for what is no job
	if errors.Is(err, ErrNotFound) || errors.Is(err, errDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	if rec.JobID != name || !api.ValidProjectID(rec.ProjectID) {
		return nil
	}
	_, err = s.noteSoon(rec)
	return err
}

// namesIn returns what is in a folder, in order.
func namesIn(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("listing archive: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing archive: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// syncDisk returns once all that was written to the disk of a folder is on it.
func syncDisk(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening archive: %w", err)
	}
	defer dir.Close()
	if err := unix.Syncfs(int(dir.Fd())); err != nil {
		return fmt.Errorf("syncing archive: %w", err)
	}
	return nil
}

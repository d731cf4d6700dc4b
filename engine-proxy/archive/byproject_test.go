package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
)

// put keeps a job of a project of its own.
func put(t *testing.T, s *Store) *source {
	t.Helper()
	src := completed(t, 2)
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
	return src
}

// lock makes the record of a job one that can't be read.
func (s *Store) lock(t *testing.T, src *source) {
	t.Helper()
	path := filepath.Join(s.dir, src.record.JobID, recordFile)
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
}

// checkGone fails the test unless jobs are gone.
func (s *Store) checkGone(t *testing.T, jobs ...*source) {
	t.Helper()
	for _, src := range jobs {
		if _, err := os.Stat(filepath.Join(s.dir, src.record.JobID)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a job that is to go: %v", err)
		}
		if names, err := namesIn(s.ofProject(src.record.ProjectID)); err == nil && len(names) > 0 {
			t.Errorf("of a job that is to go there is a note: %v", names)
		}
	}
}

// TestForgetReadsTheJobsOfTheProjectAlone: there may be a million of others, and whoever
// may delete projects would have all of them read again and again.
func TestForgetReadsTheJobsOfTheProjectAlone(t *testing.T) {
	s := open(t)
	first, mine, theirs := put(t, s), put(t, s), put(t, s)
	if err := s.Forget(t.Context(), first.record.ProjectID); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	later := put(t, again)
	for _, src := range []*source{mine, theirs} {
		s.lock(t, src)
	}
	for _, src := range []*source{mine, later} {
		if err := again.Forget(t.Context(), src.record.ProjectID); err != nil {
			t.Error(err)
		}
	}
	s.checkGone(t, first, mine, later)
	if _, err := os.Stat(filepath.Join(s.dir, theirs.record.JobID)); err != nil {
		t.Errorf("another project's job: %v", err)
	}
}

// TestJobsOfAFormerVersionAreForgottenToo has an archive that does not say whose its jobs
// are, which is then looked through once.
func TestJobsOfAFormerVersionAreForgottenToo(t *testing.T) {
	former := open(t)
	mine, theirs := put(t, former), put(t, former)
	interrupted := filepath.Join(former.dir, formerTemp+"x")
	if err := errors.Join(os.RemoveAll(filepath.Join(former.dir, byProjectDir)), os.Mkdir(interrupted, 0o700)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(former.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Forget(ctx, mine.record.ProjectID); !errors.Is(err, context.Canceled) {
		t.Errorf("for nobody who waits: %v", err)
	}
	if err := s.Forget(t.Context(), mine.record.ProjectID); err != nil {
		t.Error(err)
	}
	s.checkGone(t, mine)
	if _, err := s.Record(theirs.record.JobID); err != nil {
		t.Errorf("another project's job: %v", err)
	}
	if _, err := os.Stat(interrupted); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what an interrupted Put left: %v", err)
	}
	s.lock(t, theirs)
	if err := s.Forget(t.Context(), theirs.record.ProjectID); err != nil {
		t.Errorf("the archive is looked through again: %v", err)
	}
	s.checkGone(t, theirs)
}

// TestACopyIsLookedThroughOnce: while a backup is made jobs come, of which it may have the
// folder and not the note.
func TestACopyIsLookedThroughOnce(t *testing.T) {
	s := open(t)
	if err := s.noteAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	src, dir := put(t, s), filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		t.Fatal(err)
	}
	restored, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := restored.unnote(src.record.ProjectID, src.record.JobID); err != nil {
		t.Fatal(err)
	}
	if err := restored.Forget(t.Context(), src.record.ProjectID); err != nil {
		t.Error(err)
	}
	restored.checkGone(t, src)
}

func TestSweepLeavesNoNoteOfAJob(t *testing.T) {
	s := open(t)
	src := put(t, s)
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour), nil); err != nil || n != 1 {
		t.Errorf("deleted %d, %v", n, err)
	}
	s.checkGone(t, src)
}

// TestOpenReadsNoListOfJobs: a service starts as fast with a million of them. What an
// interrupted Put left is in a folder of its own.
func TestOpenReadsNoListOfJobs(t *testing.T) {
	s := open(t)
	const jobs = 2000
	for range jobs {
		if err := os.Mkdir(filepath.Join(s.dir, mint.NewJobID(time.Now())), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	allocations := testing.AllocsPerRun(3, func() {
		if _, err := Open(s.dir); err != nil {
			t.Error(err)
		}
	})
	if allocations > jobs/10 {
		t.Errorf("it takes %v allocations with %d jobs", allocations, jobs)
	}
}

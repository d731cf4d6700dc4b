package archive

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

func (s *source) snapshot() io.ReadCloser { return io.NopCloser(bytes.NewReader(s.zip)) }

// lost is the end of a job of src's project that its engine could not tell.
func lost(src *source) contract.JobRecord {
	at := time.Now().UTC()
	return contract.JobRecord{
		JobID: mint.NewJobID(at), ProjectID: src.record.ProjectID, Status: api.JobFailed, FinishedAt: &at, LastEventID: 4,
		Failure: &api.Failure{Code: api.FailureEngineLost, Message: "gone"},
	}
}

func TestLostJobServesTheLastSnapshotOfItsProject(t *testing.T) {
	for name, keep := range map[string]func(t *testing.T, s *Store, src *source){
		"pulled while it ran": func(t *testing.T, s *Store, src *source) {
			if err := s.PutSnapshot(t.Context(), src.record.ProjectID, src.snapshot()); err != nil {
				t.Fatal(err)
			}
		},
		"left by the job before": func(t *testing.T, s *Store, src *source) {
			if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, src := open(t), completed(t, 2)
			keep(t, s, src)
			other, err := s.PutEnd(lost(completed(t, 2)))
			if err != nil {
				t.Fatal(err)
			}
			checkExplained(t, s, other)
			kept, err := s.PutEnd(lost(src))
			if err != nil || kept.Files == nil || *kept.Files != *src.record.Files {
				t.Fatalf("files %+v, %v, want %+v", kept.Files, err, src.record.Files)
			}
			// Whatever becomes of the snapshot, these files stay.
			if err := s.PutSnapshot(t.Context(), src.record.ProjectID, completed(t, 2).snapshot()); err != nil {
				t.Fatal(err)
			}
			f, rec, err := s.Files(kept.JobID)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(got, src.zip) || rec.Files.SHA256 != src.record.Files.SHA256 {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
		})
	}
}

func TestCancelledJobHasNoSnapshotForFiles(t *testing.T) {
	s, src := open(t), completed(t, 2)
	if err := s.PutSnapshot(t.Context(), src.record.ProjectID, src.snapshot()); err != nil {
		t.Fatal(err)
	}
	end := lost(src)
	end.Status, end.Failure = api.JobCancelled, nil
	if kept, err := s.PutEnd(end); err != nil || kept.Files != nil {
		t.Fatalf("files %+v, %v, want none", kept.Files, err)
	}
}

func TestSnapshotThatIsNoneLeavesTheOneBefore(t *testing.T) {
	s, src := open(t), completed(t, 2)
	if err := s.PutSnapshot(t.Context(), src.record.ProjectID, src.snapshot()); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]io.Reader{
		"no ZIP":    bytes.NewReader([]byte("hello")),
		"cut off":   bytes.NewReader(src.zip[:len(src.zip)/2]),
		"too large": io.LimitReader(zeros{}, MaxFiles+1),
	} {
		if err := s.PutSnapshot(t.Context(), src.record.ProjectID, io.NopCloser(bad)); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", name, err)
		}
	}
	if err := s.PutSnapshot(t.Context(), "../x", src.snapshot()); !errors.Is(err, ErrRefused) {
		t.Errorf("malformed project id: %v, want ErrRefused", err)
	}
	if kept, err := s.PutEnd(lost(src)); err != nil || kept.Files == nil || *kept.Files != *src.record.Files {
		t.Fatalf("files %+v, %v, want the first snapshot", kept.Files, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestForgetDropsTheSnapshot(t *testing.T) {
	s, src := open(t), completed(t, 2)
	if err := s.PutSnapshot(t.Context(), src.record.ProjectID, src.snapshot()); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), src.record.ProjectID); err != nil {
		t.Fatal(err)
	}
	if s.HasSnapshot(src.record.ProjectID) {
		t.Fatal("it is still there")
	}
}

func TestSweepDeletesWhatEndedBeforeAndNothingElse(t *testing.T) {
	s := open(t)
	now := time.Now()
	put := func(accepted, ended time.Duration) string {
		src := completed(t, 2)
		at := now.Add(-ended)
		src.record.JobID, src.record.FinishedAt = mint.NewJobID(now.Add(-accepted)), &at
		src.events = line(src.record.JobID, api.EventCompleted, 2, nil)
		if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
			t.Fatal(err)
		}
		return src.record.JobID
	}
	const day = 24 * time.Hour
	old, long, unsettled, young := put(40*day, 40*day), put(40*day, 10*day), put(40*day, 40*day), put(day, day)
	n, err := s.Sweep(t.Context(), now.Add(-30*day), map[string]bool{unsettled: true})
	if err != nil || n != 1 {
		t.Fatalf("deleted %d, %v, want 1", n, err)
	}
	if _, err := s.Events(old); !errors.Is(err, ErrNotFound) {
		t.Errorf("the old job: %v, want ErrNotFound", err)
	}
	for _, id := range []string{long, unsettled, young} {
		if _, err := s.Record(id); err != nil {
			t.Errorf("a job that is to stay: %v", err)
		}
	}
}

// TestArchiveOverItsSizeLosesWhatEndedFirst: as much as is needed, and nothing that is kept.
func TestArchiveOverItsSizeLosesWhatEndedFirst(t *testing.T) {
	s := open(t)
	now := time.Now()
	put := func(accepted, ended time.Duration) string {
		src := completed(t, 2)
		at := now.Add(-ended)
		src.record.JobID, src.record.FinishedAt = mint.NewJobID(now.Add(-accepted)), &at
		src.events = line(src.record.JobID, api.EventCompleted, 2, nil)
		if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
			t.Fatal(err)
		}
		return src.record.JobID
	}
	// What was accepted first did not end first.
	published, second, first, third := put(9*time.Hour, 9*time.Hour), put(8*time.Hour, 3*time.Hour), put(7*time.Hour, 6*time.Hour), put(2*time.Hour, time.Hour)
	one := s.size(first)
	if one < 2*block || s.size(second) != one {
		t.Fatalf("a job takes %d and %d bytes", one, s.size(second))
	}
	keep := map[string]bool{published: true}
	for _, tc := range []struct {
		most int64
		gone []string
	}{{4 * one, nil}, {4*one - 1, []string{first}}, {3 * one, nil}, {2 * one, []string{second}}, {one / 2, []string{third}}} {
		before, err := s.Over(t.Context(), tc.most, keep)
		if err != nil || before.IsZero() != (tc.gone == nil) {
			t.Fatalf("to have %d bytes what ended before %v goes: %v", tc.most, before, err)
		}
		if n, err := s.Sweep(t.Context(), before, keep); err != nil || n != len(tc.gone) {
			t.Errorf("to have %d bytes %d jobs went: %v", tc.most, n, err)
		}
		for _, id := range tc.gone {
			if _, err := s.Record(id); !errors.Is(err, ErrNotFound) {
				t.Errorf("to have %d bytes a job that was to go: %v", tc.most, err)
			}
		}
	}
	if _, err := s.Record(published); err != nil {
		t.Error(err)
	}
}

// TestADamagedRecordKeepsNothingElse: neither what is to be forgotten with a project, nor
// what is old. It goes itself when it is old.
func TestADamagedRecordKeepsNothingElse(t *testing.T) {
	s := open(t)
	now := time.Now()
	const day = 24 * time.Hour
	put := func(accepted time.Duration) *source {
		src := completed(t, 1)
		at := now.Add(-accepted)
		src.record.JobID, src.record.FinishedAt = mint.NewJobID(at), &at
		src.events = line(src.record.JobID, api.EventCompleted, 1, nil)
		if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
			t.Fatal(err)
		}
		return src
	}
	damage := func(src *source) {
		if err := os.WriteFile(filepath.Join(s.dir, src.record.JobID, recordFile), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	oldest, old, mine, young := put(50*day), put(40*day), put(2*day), put(day)
	damage(oldest)
	damage(young)
	if err := s.Forget(t.Context(), mine.record.ProjectID); err != nil {
		t.Error(err)
	}
	if n, err := s.Sweep(t.Context(), now.Add(-30*day), nil); err != nil || n != 2 {
		t.Errorf("deleted %d, %v, want 2", n, err)
	}
	for _, src := range []*source{oldest, old, mine} {
		if _, err := s.Record(src.record.JobID); !errors.Is(err, ErrNotFound) {
			t.Errorf("a job that is to go: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, young.record.JobID)); err != nil {
		t.Errorf("a damaged job that is not old: %v", err)
	}
}

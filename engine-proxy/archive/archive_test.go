package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/sse"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJobThatIsPutWhileAnotherProcessTakesOverIsNotRefused(t *testing.T) {
	s, src := open(t), completed(t, 1)
	_, err := s.Put(t.Context(), src.record.JobID, cleared{src, func() error {
		_, err := Open(s.dir)
		return err
	}})
	if err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want an error after which it is put again", err)
	}
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Error(err)
	}
}

func TestArchivedJobIsServedAsItWasSent(t *testing.T) {
	s, src := open(t), completed(t, 1000)
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
	log, err := s.Events(src.record.JobID)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	reads := 0
	for after := uint64(0); ; reads++ {
		records, state, err := log.Read(after)
		if err != nil {
			t.Fatal(err)
		}
		if !state.Ended || state.Last != 1000 || state.Changed != nil {
			t.Fatalf("state %+v of an ended log", state)
		}
		if len(records) == 0 {
			break
		}
		for _, r := range records {
			if r.ID != after+1 {
				t.Fatalf("event %d follows %d", r.ID, after)
			}
			after = r.ID
			got.Write(r.Data)
			got.WriteByte('\n')
		}
	}
	if got.String() != src.events {
		t.Fatal("the events differ")
	}
	if reads < 3 {
		t.Fatalf("a megabyte was read in %d pieces", reads)
	}
	f, rec, err := s.Files(src.record.JobID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(zipped, src.zip) || rec.Files.SHA256 != src.record.Files.SHA256 {
		t.Fatalf("the files differ: %v", err)
	}
}

func TestEventLogIsResumedAnywhere(t *testing.T) {
	s, src := open(t), completed(t, 700)
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
	log, err := s.Events(src.record.JobID)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []uint64{650, 3, 3, 699, 0, 256, 700, 9999} {
		records, _, err := log.Read(after)
		if err != nil {
			t.Fatal(err)
		}
		if after >= 700 {
			if len(records) != 0 {
				t.Errorf("after %d: %d records, want none", after, len(records))
			}
			continue
		}
		if len(records) == 0 || records[0].ID != after+1 {
			t.Errorf("after %d: does not go on with %d", after, after+1)
		}
	}
	req := httptest.NewRequest("GET", "/events?lastEventId=700", nil)
	res := httptest.NewRecorder()
	if err := sse.Serve(res, req, log, sse.Options{}); err != nil || res.Code != 204 {
		t.Fatalf("resuming at the end: %d %v, want 204", res.Code, err)
	}
}

func empty(t *testing.T, s *Store) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		switch path {
		case s.dir, s.temp(), filepath.Join(s.dir, byProjectDir):
		default:
			t.Errorf("the archive holds %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFirstEndOfAJobIsKept(t *testing.T) {
	s, src := open(t), completed(t, 2)
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
	lost := src.record
	lost.Status, lost.LastEventID = api.JobFailed, 3
	kept, err := s.PutEnd(lost)
	if err != nil || kept.Status != api.JobCompleted {
		t.Fatalf("kept %s, %v, want the first end", kept.Status, err)
	}

	other := completed(t, 2)
	lost = other.record
	lost.Status, lost.Failure = api.JobFailed, &api.Failure{Code: api.FailureEngineLost, Message: "gone"}
	if kept, err = s.PutEnd(lost); err != nil || kept.Status != api.JobFailed {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if kept, err = s.Put(t.Context(), lost.JobID, other); err != nil || kept.Status != api.JobFailed {
		t.Fatalf("kept %s, %v, want the first end", kept.Status, err)
	}
}

// checkExplained proves that the files of a failed job say why it has no game.
func checkExplained(t *testing.T, s *Store, kept contract.JobRecord) {
	t.Helper()
	f, rec, err := s.Files(kept.JobID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	want, files := gamezip.Failed(kept.JobID, kept.Failure)
	if !bytes.Equal(data, want) || kept.Files == nil || *kept.Files != files || *rec.Files != files {
		t.Errorf("%d bytes, kept as %+v and %+v", len(data), kept.Files, rec.Files)
	}
}

func TestFailedJobWithoutAGameSaysWhyInItsFiles(t *testing.T) {
	s, src := open(t), completed(t, 2)
	src.record.Status, src.record.Files = api.JobFailed, nil
	src.record.Failure = &api.Failure{Code: api.FailureInternal, Message: "The files could not be packed."}
	src.events = line(src.record.JobID, api.EventQueued, 1, nil) + line(src.record.JobID, api.EventFailed, 2, nil)
	kept, err := s.Put(t.Context(), src.record.JobID, src)
	if err != nil {
		t.Fatal(err)
	}
	checkExplained(t, s, kept)
	if s.HasSnapshot(src.record.ProjectID) {
		t.Error("what says why is kept as the project's game")
	}
	if kept, err = s.PutEnd(lost(src)); err != nil {
		t.Fatal(err)
	}
	checkExplained(t, s, kept)
}

func TestForgetDropsTheJobsOfOneProject(t *testing.T) {
	s := open(t)
	mine, theirs := completed(t, 2), completed(t, 2)
	for _, src := range []*source{mine, theirs} {
		if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Forget(t.Context(), mine.record.ProjectID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(mine.record.JobID); !errors.Is(err, ErrNotFound) {
		t.Errorf("forgotten job: %v, want ErrNotFound", err)
	}
	if _, err := s.Record(theirs.record.JobID); err != nil {
		t.Errorf("another project's job: %v", err)
	}
}

func TestOpenClearsWhatAKilledPutLeft(t *testing.T) {
	s := open(t)
	if err := os.MkdirAll(filepath.Join(s.temp(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	empty(t, again)
}

func TestRecordThatComesBackIsTheOneThatIsKept(t *testing.T) {
	s, src := open(t), completed(t, 3)
	lost := src.record
	lost.Status, lost.Failure, lost.Files = api.JobFailed, &api.Failure{Code: api.FailureTimeout}, nil
	got, err := s.Put(t.Context(), src.record.JobID, overtaken{src, func() error {
		_, err := s.PutEnd(lost)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Record(src.record.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Status != api.JobFailed || got.Status != kept.Status {
		t.Errorf("Put returned a record with status %s, and the archive has one with %s", got.Status, kept.Status)
	}
}

// An engine proxy that died after it kept a job may not have made its ZIP the
// snapshot: a later job that is lost would bring an older game back.
func TestJobThatIsPutAgainIsTheSnapshotAfterAll(t *testing.T) {
	s, before, src := open(t), completed(t, 1), completed(t, 2)
	src.pack(t, func(w *zip.Writer) error { _, err := w.Create("new.js"); return err })
	src.record.Files.Count = 2
	before.record.ProjectID = src.record.ProjectID
	for _, job := range []*source{before, src} {
		if _, err := s.Put(t.Context(), job.record.JobID, job); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutSnapshot(t.Context(), src.record.ProjectID, io.NopCloser(bytes.NewReader(before.zip))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
	lost := contract.JobRecord{
		JobID: mint.NewJobID(time.Now()), ProjectID: src.record.ProjectID, Status: api.JobFailed, FinishedAt: src.record.FinishedAt, LastEventID: 1,
	}
	kept, err := s.PutEnd(lost)
	if err != nil || kept.Files == nil || kept.Files.SHA256 != src.record.Files.SHA256 {
		t.Errorf("the lost job has %+v, %v, want the ZIP of the job before", kept.Files, err)
	}
}

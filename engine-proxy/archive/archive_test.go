package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	"github.com/svc-games/svc/api/sse"
)

// source is an ended job as an engine might send it.
type source struct {
	record contract.JobRecord
	events string
	zip    []byte
	fails  error // of every part after the record
}

func (s *source) Record(context.Context) (contract.JobRecord, error) { return s.record, nil }

func (s *source) Events(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s.events)), s.fails
}

func (s *source) Files(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.zip)), s.fails
}

func line(jobID, eventType string, seq int, members map[string]any) string {
	raw, err := encode(api.Event{Type: eventType, Seq: uint64(seq), JobID: jobID, ProjectID: "p", Members: members})
	if err != nil {
		panic(err)
	}
	return raw + "\n"
}

func encode(ev api.Event) (string, error) {
	raw, err := ev.MarshalJSON()
	return string(raw), err
}

// completed returns a well-formed job with a ZIP and n events.
func completed(t *testing.T, n int) *source {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.Create("index.html")
	if err == nil {
		_, err = f.Write([]byte("<canvas>"))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	at := time.Now().UTC()
	s := &source{zip: buf.Bytes(), record: contract.JobRecord{
		JobID: api.NewJobID(at), ProjectID: api.NewProjectID(), Status: api.JobCompleted, FinishedAt: &at, LastEventID: uint64(n),
		Files: &api.Files{Count: 1, Bytes: int64(buf.Len()), SHA256: hex.EncodeToString(sum[:])},
	}}
	for i := range n - 1 {
		s.events += line(s.record.JobID, api.EventProgress, i+1, map[string]any{"text": strings.Repeat("x", 1000)})
	}
	s.events += line(s.record.JobID, api.EventCompleted, n, nil)
	return s
}

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cleared is a job during whose transfer another process opens the archive.
type cleared struct {
	*source
	opens func() error
}

func (o cleared) Files(ctx context.Context) (io.ReadCloser, error) {
	files, err := o.source.Files(ctx)
	return io.NopCloser(io.MultiReader(files, o)), err
}

func (o cleared) Read([]byte) (int, error) { return 0, cmp.Or(o.opens(), io.EOF) }

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

func TestArchiveRefusesWhatBreaksTheContract(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(s *source)
	}{
		{"unfinished job", func(s *source) { s.record.Status = api.JobRunning }},
		{"record of another job", func(s *source) { s.record.JobID = api.NewJobID(time.Now()) }},
		{"no events", func(s *source) { s.events = "" }},
		{"no terminal event", func(s *source) { s.events = line(s.record.JobID, api.EventQueued, 2, nil) }},
		{"terminal event of another status", func(s *source) { s.events = line(s.record.JobID, api.EventFailed, 2, nil) }},
		{"event after the terminal one", func(s *source) { s.events += line(s.record.JobID, api.EventCompleted, 3, nil) }},
		{"events out of order", func(s *source) { s.events = line(s.record.JobID, api.EventQueued, 2, nil) + s.events }},
		{"event of another job", func(s *source) { s.events = line(api.NewJobID(time.Now()), api.EventCompleted, 2, nil) }},
		{"no JSON", func(s *source) { s.events = "hello\n" }},
		{"event type that ends a line", func(s *source) {
			s.events = `{"type":"a\nid: 9","seq":1,"jobId":"` + s.record.JobID + `"}` + "\n" + s.events
		}},
		{"event without type", func(s *source) { s.events = `{"seq":1}` + "\n" + s.events }},
		{"event too long", func(s *source) {
			s.events = line(s.record.JobID, api.EventQueued, 1, map[string]any{"t": strings.Repeat("x", api.MaxEventData)}) + line(s.record.JobID, api.EventCompleted, 2, nil)
		}},
		{"event log too long", func(s *source) { s.events = strings.Repeat("\n", MaxEvents+1) }},
		{"ZIP with other bytes", func(s *source) { s.zip = bytes.Repeat([]byte{1}, len(s.zip)) }},
		{"ZIP too short", func(s *source) { s.zip = s.zip[1:] }},
		{"ZIP too long", func(s *source) { s.zip = append(s.zip, 1) }},
		{"ZIP over the bound", func(s *source) { s.record.Files.Bytes = MaxFiles + 1 }},
		{"ZIP of negative size", func(s *source) { s.record.Files.Bytes = -1 }},
		{"no ZIP at all", func(s *source) {
			s.zip = []byte("hello")
			sum := sha256.Sum256(s.zip)
			s.record.Files = &api.Files{Bytes: 5, SHA256: hex.EncodeToString(sum[:])}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, src := open(t), completed(t, 2)
			id := src.record.JobID
			c.spoil(src)
			if _, err := s.Put(t.Context(), id, src); !errors.Is(err, ErrRefused) {
				t.Fatalf("got %v, want ErrRefused", err)
			}
			empty(t, s)
		})
	}
}

func TestInterruptedPullLeavesNothingAndIsNoRefusal(t *testing.T) {
	s, src := open(t), completed(t, 2)
	src.fails = errors.New("connection lost")
	if _, err := s.Put(t.Context(), src.record.JobID, src); err == nil || errors.Is(err, ErrRefused) {
		t.Fatalf("got %v, want the connection's error", err)
	}
	empty(t, s)
	src.fails = nil
	if _, err := s.Put(t.Context(), src.record.JobID, src); err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, s *Store) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) != 0 {
		t.Fatalf("the archive holds %v, %v", entries, err)
	}
}

func TestHostileJobIDNeverBecomesAPath(t *testing.T) {
	s := open(t)
	secret := filepath.Join(filepath.Dir(s.dir), "record.json")
	if err := os.WriteFile(secret, []byte(`{"jobId":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", ".", "..", "../archive", "job_../../x", "/etc", "job_01ARZ3NDEKTSV4RRFFQ69G5FA\x00"} {
		if _, err := s.Record(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("record of %q: %v, want ErrNotFound", id, err)
		}
		if _, err := s.Events(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("events of %q: %v, want ErrNotFound", id, err)
		}
		if _, _, err := s.Files(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("files of %q: %v, want ErrNotFound", id, err)
		}
		src := completed(t, 2)
		src.record.JobID = id
		if _, err := s.Put(t.Context(), id, src); !errors.Is(err, ErrRefused) {
			t.Errorf("put %q: %v, want ErrRefused", id, err)
		}
		if _, err := s.PutEnd(src.record); !errors.Is(err, ErrRefused) {
			t.Errorf("put end %q: %v, want ErrRefused", id, err)
		}
	}
	empty(t, s)
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
	if err := s.Forget(mine.record.ProjectID); err != nil {
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
	if err := os.MkdirAll(filepath.Join(s.dir, fmt.Sprintf("%sx", tempPrefix)), 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	empty(t, again)
}

var _ Source = (*source)(nil)

// overtaken is a job whose end is kept while it is being pulled.
type overtaken struct {
	*source
	by func() error
}

func (o overtaken) Files(ctx context.Context) (io.ReadCloser, error) {
	if err := o.by(); err != nil {
		return nil, err
	}
	return o.source.Files(ctx)
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

// What a game's ZIP may hold, package gamezip says and tests.
func TestZIPThatNoGameHasIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(w *zip.Writer) error{
		"a way out": func(w *zip.Writer) error { _, err := w.Create("../x.html"); return err },
		"a link":    func(w *zip.Writer) error { return special(w, fs.ModeSymlink|0o777) },
		"set user":  func(w *zip.Writer) error { return special(w, fs.ModeSetuid|0o755) },
		"a twin":    func(w *zip.Writer) error { _, err := w.Create("INDEX.html"); return err },
		"a bomb": func(w *zip.Writer) error {
			f, err := w.Create("zeros")
			if err == nil {
				_, err = io.CopyN(f, zeros{}, gamezip.MaxBytes+1)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, src := open(t), completed(t, 1)
			src.pack(t, spoil)
			src.record.Files.Count = 2
			if _, err := s.Put(t.Context(), src.record.JobID, src); !errors.Is(err, ErrRefused) {
				t.Errorf("files of a job: %v", err)
			}
			if err := s.PutSnapshot(t.Context(), src.record.ProjectID, io.NopCloser(bytes.NewReader(src.zip))); !errors.Is(err, ErrRefused) {
				t.Errorf("a snapshot: %v", err)
			}
		})
	}
	s, src := open(t), completed(t, 1)
	src.record.Files.Count = 7
	if _, err := s.Put(t.Context(), src.record.JobID, src); !errors.Is(err, ErrRefused) {
		t.Errorf("a record that counts wrongly: %v", err)
	}
}

// pack makes a ZIP of a page and what spoil adds.
func (s *source) pack(t *testing.T, spoil func(w *zip.Writer) error) {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	_, err := w.Create("index.html")
	if err == nil {
		err = spoil(w)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	s.zip, s.record.Files = buf.Bytes(), &api.Files{Count: 1, Bytes: int64(buf.Len()), SHA256: hex.EncodeToString(sum[:])}
}

// special adds an entry that is no plain file.
func special(w *zip.Writer, mode fs.FileMode) error {
	h := &zip.FileHeader{Name: "x"}
	h.SetMode(mode)
	_, err := w.CreateHeader(h)
	return err
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
		JobID: api.NewJobID(time.Now()), ProjectID: src.record.ProjectID, Status: api.JobFailed, FinishedAt: src.record.FinishedAt, LastEventID: 1,
	}
	kept, err := s.PutEnd(lost)
	if err != nil || kept.Files == nil || kept.Files.SHA256 != src.record.Files.SHA256 {
		t.Errorf("the lost job has %+v, %v, want the ZIP of the job before", kept.Files, err)
	}
}

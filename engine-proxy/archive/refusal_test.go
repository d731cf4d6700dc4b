package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/api/mint"
)

func TestArchiveRefusesWhatBreaksTheContract(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(s *source)
	}{
		{"unfinished job", func(s *source) { s.record.Status = api.JobRunning }},
		{"record of another job", func(s *source) { s.record.JobID = mint.NewJobID(time.Now()) }},
		{"no events", func(s *source) { s.events = "" }},
		{"no terminal event", func(s *source) { s.events = line(s.record.JobID, api.EventQueued, 2, nil) }},
		{"terminal event of another status", func(s *source) { s.events = line(s.record.JobID, api.EventFailed, 2, nil) }},
		{"event after the terminal one", func(s *source) { s.events += line(s.record.JobID, api.EventCompleted, 3, nil) }},
		{"events out of order", func(s *source) { s.events = line(s.record.JobID, api.EventQueued, 2, nil) + s.events }},
		{"event of another job", func(s *source) { s.events = line(mint.NewJobID(time.Now()), api.EventCompleted, 2, nil) }},
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

func TestEventLogThatBreaksOffAnywhereIsNoRefusal(t *testing.T) {
	s, src := open(t), completed(t, 2)
	whole := src.events
	src.cut = errors.New("connection lost")
	for n := range len(whole) {
		src.events = whole[:n]
		if _, err := s.Put(t.Context(), src.record.JobID, src); !errors.Is(err, src.cut) || errors.Is(err, ErrRefused) {
			t.Fatalf("after %q: %v, want the connection's error", whole[:n], err)
		}
	}
	empty(t, s)
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

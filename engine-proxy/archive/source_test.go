package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

// source is an ended job as an engine might send it.
type source struct {
	record contract.JobRecord
	events string
	zip    []byte
	fails  error // of every part after the record
	cut    error // what comes after the events in place of their end
}

func (s *source) Record(context.Context) (contract.JobRecord, error) { return s.record, nil }

func (s *source) Events(context.Context) (io.ReadCloser, error) {
	if s.cut != nil {
		return io.NopCloser(io.MultiReader(strings.NewReader(s.events), iotest.ErrReader(s.cut))), nil
	}
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
		JobID: mint.NewJobID(at), ProjectID: mint.NewProjectID(), Status: api.JobCompleted, FinishedAt: &at, LastEventID: uint64(n),
		Files: &api.Files{Count: 1, Bytes: int64(buf.Len()), SHA256: hex.EncodeToString(sum[:])},
	}}
	for i := range n - 1 {
		s.events += line(s.record.JobID, api.EventProgress, i+1, map[string]any{"text": strings.Repeat("x", 1000)})
	}
	s.events += line(s.record.JobID, api.EventCompleted, n, nil)
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

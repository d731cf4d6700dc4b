package archive

import (
	"bufio"
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

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// Source is where an ended job is pulled from. The store bounds what it reads
// and closes it.
type Source interface {
	Record(ctx context.Context) (contract.JobRecord, error)
	Events(ctx context.Context) (io.ReadCloser, error)
	Files(ctx context.Context) (io.ReadCloser, error)
}

// Put pulls a job that has ended and keeps it; a job that is already kept is
// left as it is. One that failed and has no files gets those of gamezip.Failed. It
// returns the record that is kept. When Put returns without error, everything is on disk. An error that is ErrRefused is about the
// content and stays; any other may go away.
func (s *Store) Put(ctx context.Context, jobID string, src Source) (contract.JobRecord, error) {
	if rec, err := s.Record(jobID); err == nil && rec.Files != nil {
		return rec, s.endAsSnapshot(jobID, rec.ProjectID) // whoever kept it may have died before
	} else if !errors.Is(err, ErrNotFound) {
		return rec, err
	}
	if !api.ValidJobID(jobID) {
		return contract.JobRecord{}, fmt.Errorf("%w: malformed job id", ErrRefused)
	}
	rec, err := src.Record(ctx)
	if err != nil {
		return rec, err
	}
	if rec.JobID != jobID || !rec.Status.Terminal() {
		return rec, fmt.Errorf("%w: the record is not that of this ended job", ErrRefused)
	}
	err = s.write(&rec, func(dir string) error {
		if err := putEvents(ctx, filepath.Join(dir, eventsFile), rec, src); err != nil {
			return fmt.Errorf("archiving events: %w", err)
		}
		if rec.Files == nil {
			return explain(dir, &rec)
		}
		if err := putFiles(ctx, filepath.Join(dir, filesFile), *rec.Files, src); err != nil {
			return fmt.Errorf("archiving files: %w", err)
		}
		return nil
	})
	if err != nil || rec.Files == nil {
		return rec, err
	}
	return rec, s.endAsSnapshot(jobID, rec.ProjectID)
}

// PutEnd keeps the end of a job of which no engine can tell any more: its
// record, an event log that holds the terminal event alone, and unless it was
// cancelled the last snapshot of the project as its files, or where there is none
// what gamezip.Failed makes. A job that is already kept is left as it is; the
// record that is kept is returned.
func (s *Store) PutEnd(rec contract.JobRecord) (contract.JobRecord, error) {
	if kept, err := s.Record(rec.JobID); !errors.Is(err, ErrNotFound) {
		return kept, err
	}
	if !api.ValidJobID(rec.JobID) || !rec.Status.Terminal() || rec.FinishedAt == nil {
		return rec, fmt.Errorf("%w: not an ended job", ErrRefused)
	}
	rec.Files = nil
	err := s.write(&rec, func(dir string) (err error) {
		if rec.Status != api.JobCancelled {
			if rec.Files, err = s.takeSnapshot(rec.ProjectID, filepath.Join(dir, filesFile)); err != nil {
				return err
			}
		}
		if rec.Files == nil {
			if err := explain(dir, &rec); err != nil {
				return err
			}
		}
		line, err := terminalEvent(rec)
		if err != nil {
			return err
		}
		return writeSynced(filepath.Join(dir, eventsFile), append(line, '\n'))
	})
	return rec, err
}

// explain gives a failed job without files a ZIP that says why.
func explain(dir string, rec *contract.JobRecord) error {
	if rec.Status != api.JobFailed {
		return nil
	}
	data, files := gamezip.Failed(rec.JobID, rec.Failure)
	rec.Files = &files
	return writeSynced(filepath.Join(dir, filesFile), data)
}

// terminalEvent is the last event of a job, as its engine would have written
// it.
func terminalEvent(rec contract.JobRecord) ([]byte, error) {
	members := map[string]any{"status": rec.Status}
	if rec.Failure != nil {
		members["failure"] = rec.Failure
	}
	if rec.Files != nil {
		members["files"] = rec.Files
	}
	line, err := json.Marshal(api.Event{
		Type: api.TerminalEventOf(rec.Status), Seq: rec.LastEventID, JobID: rec.JobID,
		ProjectID: rec.ProjectID, TS: *rec.FinishedAt, Members: members,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding terminal event: %w", err)
	}
	return line, nil
}

// write fills a temporary directory and makes it the job's by renaming it. fill
// may complete the record, which is the one that is kept when write returns.
func (s *Store) write(rec *contract.JobRecord, fill func(dir string) error) error {
	temp, err := os.MkdirTemp(s.temp(), "")
	if err != nil {
		return fmt.Errorf("making archive entry: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return err
	}
	raw, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encoding record: %w", err)
	}
	if err := writeSynced(filepath.Join(temp, recordFile), raw); err != nil {
		return err
	}
	if err := durable.SyncDir(temp); err != nil {
		return err
	}
	if err := s.note(*rec); err != nil {
		return err
	}
	err = os.Rename(temp, filepath.Join(s.dir, rec.JobID))
	if errors.Is(err, fs.ErrExist) { // another Put of the same job was faster
		*rec, err = s.Record(rec.JobID)
		return err
	}
	if err != nil {
		return fmt.Errorf("keeping archive entry: %w", err)
	}
	return durable.SyncDir(s.dir)
}

// putEvents copies the event log, checking every line: it is served to
// clients as it is.
func putEvents(ctx context.Context, path string, rec contract.JobRecord, src Source) error {
	in, err := src.Events(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	return create(path, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		scan := bounded.Lines(bounded.Reader(in, MaxEvents, errTooLarge), 2*api.MaxEventData)
		chain := eventChain{rec: rec}
		for scan.Scan() {
			if err := chain.add(scan.Bytes()); err != nil {
				return err
			}
			_, _ = w.Write(scan.Bytes()) // a bufio.Writer's error comes with Flush
			_ = w.WriteByte('\n')
		}
		if errors.Is(scan.Err(), bufio.ErrTooLong) {
			return fmt.Errorf("%w: an event is too long", ErrRefused)
		}
		if err := scan.Err(); err != nil {
			return err
		}
		if err := chain.end(); err != nil {
			return err
		}
		return w.Flush()
	})
}

// putFiles copies the ZIP and verifies size, checksum and directory.
func putFiles(ctx context.Context, path string, want api.Files, src Source) error {
	if want.Bytes < 0 || want.Bytes > MaxFiles {
		return fmt.Errorf("%w: the files have %d bytes, at most %d are kept", ErrRefused, want.Bytes, MaxFiles)
	}
	in, err := src.Files(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	err = create(path, func(out io.Writer) error {
		n, err := io.Copy(io.MultiWriter(out, sum), bounded.Reader(in, want.Bytes, errTooLarge))
		if err != nil {
			return err
		}
		if n != want.Bytes {
			return fmt.Errorf("%w: the files ended after %d of %d bytes", ErrRefused, n, want.Bytes)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%w: the files do not have the record's checksum", ErrRefused)
	}
	files, err := countFiles(path)
	if err == nil && files != want.Count {
		err = fmt.Errorf("%w: the record says %d files, the ZIP has %d", ErrRefused, want.Count, files)
	}
	return err
}

// create makes a file, fills it and returns once it is on disk.
func create(path string, fill func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("creating archive file: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("closing archive file: %w", cerr)
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("syncing archive file: %w", err)
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	return create(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

package commands

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/svc-games/svc/api"
)

// bookName is the file in which svc batch keeps what it has done.
const bookName = ".svc-batch.jsonl"

// batchEntry is how far a line has come.
type batchEntry struct {
	ID        string        `json:"id"`
	Line      string        `json:"line,omitempty"` // the line's sum
	Attempt   int           `json:"attempt,omitempty"`
	ProjectID string        `json:"projectId,omitempty"`
	JobID     string        `json:"jobId,omitempty"`
	Status    api.JobStatus `json:"status,omitempty"`
	TIK       api.TIK       `json:"tikSpent"`
	Unpacked  bool          `json:"unpacked,omitempty"`
	Said      string        `json:"said,omitempty"` // why there is no game
}

// book is the file of what was done: the last record of an id is how far it has come. One
// process writes it at a time.
type book struct {
	mu   sync.Mutex
	f    *os.File
	salt string // of the Idempotency-Keys of this directory
	last map[string]batchEntry

	broken error // of the first write that failed
}

// bookHead is the first record.
type bookHead struct {
	Salt string `json:"salt"`
}

var errBookInUse = errors.New("another svc batch is running in this directory")

func openBook(path string) (_ *book, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	b := &book{f: f, last: map[string]batchEntry{}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("opening %s: %w", path, err), f.Close())
		}
	}()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errBookInUse
	} else if err != nil {
		return nil, err
	}
	whole, err := b.read()
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(whole); err != nil { // a record that a kill cut
		return nil, err
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return nil, err
	}
	if b.salt == "" {
		b.salt = rand.Text()
		return b, b.append(bookHead{b.salt})
	}
	return b, nil
}

// read takes in the records and returns how many bytes they have.
func (b *book) read() (whole int64, err error) {
	lines := bufio.NewReader(b.f)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		if b.salt == "" {
			var head bookHead
			if err := json.Unmarshal(line, &head); err != nil || head.Salt == "" {
				return whole, errors.New("svc batch did not write it")
			}
			b.salt = head.Salt
		} else {
			var e batchEntry
			if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
				return whole, err
			}
			b.last[e.ID] = e
		}
		whole += int64(len(line))
	}
}

// of returns how far an id has come.
func (b *book) of(id string) batchEntry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last[id]
}

// set notes how far an id has come, on disk once it returns.
func (b *book) set(e batchEntry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.append(e); err != nil {
		return fmt.Errorf("noting the progress of %s: %w", e.ID, err)
	}
	b.last[e.ID] = e
	return nil
}

func (b *book) append(record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if b.broken == nil { // what came after half a record could not be read again
		_, err = b.f.Write(append(text, '\n'))
		b.broken = errors.Join(err, b.f.Sync())
	}
	return b.broken
}

func (b *book) close() { _ = b.f.Close() } // all was synced

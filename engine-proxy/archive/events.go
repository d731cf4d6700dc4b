package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
)

// readLimit bounds what one Read takes into memory, in bytes.
const readLimit = 256 << 10

// eventHead is the part of an event that is looked at.
type eventHead struct {
	Type  string `json:"type"`
	Seq   uint64 `json:"seq"`
	JobID string `json:"jobId"`
}

func parseHead(line []byte) (eventHead, error) {
	var h eventHead
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("an event is not JSON: %w", err)
	}
	if h.Type == "" || h.Seq == 0 || bytes.ContainsAny([]byte(h.Type), "\r\n") || bytes.ContainsRune(line, '\r') {
		return h, errors.New("an event lacks its type or number")
	}
	return h, nil
}

// Log is the event log of an archived job.
type Log struct {
	path string
	last uint64

	// Where a reader that goes on from after finds what follows: most readers
	// do, and then no event is read twice.
	mu     sync.Mutex
	after  uint64
	offset int64
}

// Events returns the event log of a job, or ErrNotFound.
func (s *Store) Events(jobID string) (*Log, error) {
	rec, err := s.Record(jobID)
	if err != nil {
		return nil, err
	}
	return &Log{path: filepath.Join(s.dir, jobID, eventsFile), last: rec.LastEventID}, nil
}

// Read implements sse.Log. It opens the file anew, so that a reader that goes
// away leaves nothing open.
func (l *Log) Read(after uint64) ([]sse.Record, sse.State, error) {
	state := sse.State{Last: l.last, Ended: true}
	if after >= l.last {
		return nil, state, nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, state, fmt.Errorf("opening archived events: %w", err)
	}
	defer f.Close()
	l.mu.Lock()
	var offset int64
	if l.after <= after {
		offset = l.offset
	}
	l.mu.Unlock()

	var out []sse.Record
	var size int
	r := bufio.NewReaderSize(io.NewSectionReader(f, offset, MaxEvents), 64<<10)
	for size < readLimit {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, state, fmt.Errorf("reading archived events: %w", err)
		}
		offset += int64(len(line))
		line = bytes.TrimSuffix(line, []byte("\n"))
		head, err := parseHead(line)
		if err != nil {
			return nil, state, fmt.Errorf("reading archived events: %w", err)
		}
		if head.Seq <= after {
			continue
		}
		size += len(line)
		out = append(out, sse.Record{ID: head.Seq, Type: head.Type, Data: line})
		if api.TerminalEvent(head.Type) {
			break
		}
	}
	if len(out) > 0 {
		l.mu.Lock()
		l.after, l.offset = out[len(out)-1].ID, offset
		l.mu.Unlock()
	}
	return out, state, nil
}

var _ sse.Log = (*Log)(nil)

// Package eventlog keeps the events of one job: an append-only file of which
// every reader holds nothing but a cursor. The terminal event can be stored
// before anyone may see it.
package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine/journal"
)

// readLimit bounds what one Read takes into memory, in bytes.
const readLimit = 256 << 10

var (
	// ErrEnded is returned by Append when the log has its terminal event.
	ErrEnded = errors.New("the event log has ended")
	// ErrTooLong is returned for an event of more than api.MaxEventData bytes.
	ErrTooLong = errors.New("the event is too long")
)

// Log is the event log of a job. Ids are dense from 1. It is safe for
// concurrent use.
type Log struct {
	lines *journal.File

	mu        sync.Mutex    // guards the following fields
	types     []string      // of the stored events, by id-1
	published bool          // the terminal event may be seen
	changed   chan struct{} // closed when a reader can see more
}

// Open opens the log in the file at path, creating it if need be. published
// says whether a terminal event at its end may be seen. cut is the number of
// bytes of a torn end that were dropped.
func Open(path string, published bool) (log *Log, cut int64, err error) {
	l := &Log{published: published, changed: make(chan struct{})}
	l.lines, cut, err = journal.Open(path, func(n int, data []byte) error {
		var head struct {
			Type string `json:"type"`
			Seq  uint64 `json:"seq"`
		}
		if err := json.Unmarshal(data, &head); err != nil {
			return err
		}
		if head.Seq != uint64(n)+1 {
			return fmt.Errorf("event %d stands at place %d", head.Seq, n+1)
		}
		l.types = append(l.types, head.Type)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("opening event log: %w", err)
	}
	return l, cut, nil
}

// Encode returns the line of the event, or ErrTooLong.
func Encode(ev api.Event) ([]byte, error) {
	data, err := json.Marshal(ev)
	if err != nil {
		return nil, fmt.Errorf("encoding event: %w", err)
	}
	if len(data) > api.MaxEventData {
		return nil, fmt.Errorf("encoding %s of %d bytes: %w", ev.Type, len(data), ErrTooLong)
	}
	return data, nil
}

// Append gives ev the next id, stores it and shows it to readers, except for a
// terminal event, which waits for Publish. It returns when ev is on disk;
// only an assistant.delta is not waited for.
func (l *Log) Append(ev api.Event) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endedLocked() {
		return 0, ErrEnded
	}
	ev.Seq = uint64(len(l.types)) + 1
	data, err := Encode(ev)
	if err != nil {
		return 0, err
	}
	if err := l.lines.Append(data, ev.Type != api.EventAssistantDelta); err != nil {
		return 0, fmt.Errorf("storing event: %w", err)
	}
	l.types = append(l.types, ev.Type)
	if !l.endedLocked() {
		l.wakeLocked()
	}
	return ev.Seq, nil
}

// Publish shows the terminal event to readers. The log takes no further event
// and gives its descriptor back.
func (l *Log) Publish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.published {
		l.published = true
		l.wakeLocked()
	}
	if err := l.lines.Seal(); err != nil {
		return fmt.Errorf("sealing event log: %w", err)
	}
	return nil
}

// Close gives the log's descriptor back. It can still be read.
func (l *Log) Close() error { return l.lines.Seal() }

// Read implements sse.Log for what may be seen.
func (l *Log) Read(after uint64) ([]sse.Record, sse.State, error) {
	l.mu.Lock()
	types, state := l.types, sse.State{Last: uint64(len(l.types)), Changed: l.changed}
	if l.endedLocked() {
		if l.published {
			state.Ended, state.Changed = true, nil
		} else {
			state.Last--
		}
	}
	l.mu.Unlock()

	records, err := l.read(after, state.Last, types)
	return records, state, err
}

// Stored calls each with the data of every stored event, seen or not.
func (l *Log) Stored(each func(data []byte) error) error {
	l.mu.Lock()
	types := l.types
	l.mu.Unlock()
	for after := uint64(0); after < uint64(len(types)); {
		records, err := l.read(after, uint64(len(types)), types)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if err := each(rec.Data); err != nil {
				return err
			}
			after = rec.ID
		}
	}
	return nil
}

// Latest returns the data of the newest stored event of a type, or nil.
func (l *Log) Latest(eventType string) ([]byte, error) {
	l.mu.Lock()
	types := l.types
	l.mu.Unlock()
	for n := len(types) - 1; n >= 0; n-- {
		if types[n] == eventType {
			records, err := l.read(uint64(n), uint64(n)+1, types)
			if err != nil {
				return nil, err
			}
			return records[0].Data, nil
		}
	}
	return nil, nil
}

// Last returns the id of the newest stored event, 0 when there is none.
func (l *Log) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.types))
}

// Ended reports whether the terminal event is stored.
func (l *Log) Ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endedLocked()
}

func (l *Log) read(after, last uint64, types []string) ([]sse.Record, error) {
	if after >= last {
		return nil, nil
	}
	lines, err := l.lines.Read(int(after), int(last), readLimit)
	if err != nil {
		return nil, err
	}
	records := make([]sse.Record, len(lines))
	for i, line := range lines {
		id := after + uint64(i) + 1
		records[i] = sse.Record{ID: id, Type: types[id-1], Data: line}
	}
	return records, nil
}

func (l *Log) endedLocked() bool {
	return len(l.types) > 0 && api.TerminalEvent(l.types[len(l.types)-1])
}

func (l *Log) wakeLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

var _ sse.Log = (*Log)(nil)

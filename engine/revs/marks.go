package revs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/engine/disk"
)

// Mark is what was said of a revision after it was made.
type Mark struct {
	Proven bool      `json:"proven,omitempty"` // it was played, and nothing spoke against it
	Until  time.Time `json:"until,omitzero"`   // it is kept so long, whatever the limits say
}

// ErrMarked: as much is marked to be kept as there may be.
var ErrMarked = errors.New("too many revisions are kept")

// keptShare is the part of what a history may have that is for revisions which are kept.
const keptShare = 2

// Marks returns what was said of revisions.
func (s *Store) Marks() map[int]Mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.marks)
}

// MarkProven notes that a revision was played, and that nothing spoke against it.
func (s *Store) MarkProven(id int) error {
	return s.mark(id, func(m *Mark) error {
		m.Proven = true
		return nil
	})
}

// Keep has a revision be kept until a time at least, or as long as any for one that is over.
// Those that are kept may have half of what the limits allow.
func (s *Store) Keep(id int, until time.Time, limits Limits) error {
	return s.mark(id, func(m *Mark) error {
		if !until.After(limits.Now) {
			m.Until = time.Time{}
			return nil
		}
		if until.After(m.Until) {
			m.Until = until
		}
		kept := []entry{}
		for _, e := range s.list {
			if e.ID == id || s.marks[e.ID].Until.After(limits.Now) {
				kept = append(kept, e)
			}
		}
		reached, err := s.reach(kept)
		if err != nil {
			return err
		}
		var bytes int64
		for sum := range reached {
			bytes += s.sizes[sum]
		}
		if len(kept) > limits.Revisions/keptShare || bytes > limits.Bytes/keptShare || len(reached) > limits.Files/keptShare {
			return ErrMarked
		}
		return nil
	})
}

// mark changes what is said of a revision, on disk before it returns.
func (s *Store) mark(id int, change func(m *Mark) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.find(id); !there {
		return fmt.Errorf("revision %d: %w", id, ErrUnknown)
	}
	marks := maps.Clone(s.marks)
	m := marks[id]
	if err := change(&m); err != nil {
		return err
	}
	marks[id] = m
	maps.DeleteFunc(marks, func(id int, m Mark) bool {
		_, there := s.find(id)
		return !there || m == Mark{}
	})
	data, err := json.Marshal(marks)
	if err == nil {
		err = disk.WriteFile(s.marksPath(), data)
	}
	if err != nil {
		return fmt.Errorf("storing marks: %w", err)
	}
	s.marks = marks
	return nil
}

// openMarks reads what was said of revisions. Where that can't be read nothing was.
func (s *Store) openMarks() error {
	s.marks = map[int]Mark{}
	data, err := os.ReadFile(s.marksPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading marks: %w", err)
	}
	if json.Unmarshal(data, &s.marks) != nil || s.marks == nil {
		s.marks = map[int]Mark{}
	}
	return nil
}

func (s *Store) marksPath() string { return filepath.Join(s.dir, "marks.json") }

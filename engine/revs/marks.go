package revs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/engine/disk"
)

// Mark is what was said of a revision after it was made.
type Mark struct {
	Proven bool `json:"proven,omitempty"` // it was played, and nothing spoke against it
}

// Marks returns what was said of revisions.
func (s *Store) Marks() map[int]Mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.marks)
}

// MarkProven notes that a revision was played, and that nothing spoke against it.
func (s *Store) MarkProven(id int) error {
	return s.mark(id, func(m *Mark) { m.Proven = true })
}

// mark changes what is said of a revision, on disk before it returns.
func (s *Store) mark(id int, change func(m *Mark)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.find(id); !there {
		return fmt.Errorf("revision %d: %w", id, ErrUnknown)
	}
	marks := maps.Clone(s.marks)
	m := marks[id]
	change(&m)
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

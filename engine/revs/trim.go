package revs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-games/svc/engine/disk"
)

// Limits bound a history.
type Limits struct {
	Revisions int
	Bytes     int64 // of all objects
	Files     int   // objects
}

// Trim forgets the oldest revisions until the history is within its limits, and
// removes the objects that none of the others has. The head stays in any case, and
// so does the newest revision.
func (s *Store) Trim(limits Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.within(limits) {
		return nil
	}
	head, _ := s.head()
	keep := slices.Clone(s.list)
	for {
		over, err := s.exceeds(keep, limits)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(keep, func(r Revision) bool { return r.ID != head.ID })
		if !over || i < 0 || i == len(keep)-1 {
			break
		}
		keep = slices.Delete(keep, i, i+1)
	}
	if len(keep) < len(s.list) {
		if err := s.rewrite(keep); err != nil {
			return err
		}
	}
	return s.collect()
}

// within reports whether all that is on disk, reachable or not, is within limits.
func (s *Store) within(limits Limits) bool {
	var total int64
	for _, size := range s.sizes {
		total += size
	}
	return len(s.list) <= limits.Revisions && total <= limits.Bytes && len(s.sizes) <= limits.Files
}

// exceeds reports whether a history of these revisions would be too large.
func (s *Store) exceeds(list []Revision, limits Limits) (bool, error) {
	reached, err := s.reach(list)
	if err != nil {
		return false, err
	}
	var total int64
	for sum := range reached {
		total += s.sizes[sum]
	}
	return len(list) > limits.Revisions || total > limits.Bytes || len(reached) > limits.Files, nil
}

// rewrite makes keep the log. It is replaced whole: a crash leaves the old log or
// the new one.
func (s *Store) rewrite(keep []Revision) error {
	var lines bytes.Buffer
	for _, r := range keep {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encoding revision: %w", err)
		}
		lines.Write(append(line, '\n'))
	}
	if err := disk.WriteFile(s.logPath(), lines.Bytes()); err != nil {
		return fmt.Errorf("shortening history: %w", err)
	}
	if err := s.log.Seal(); err != nil {
		return fmt.Errorf("closing history: %w", err)
	}
	_, err := s.openLog()
	return err
}

// collect removes the objects that no revision reaches.
func (s *Store) collect() error {
	reached, err := s.reach(s.list)
	if err != nil {
		return err
	}
	for _, sum := range slices.Collect(maps.Keys(s.sizes)) {
		if reached[sum] {
			continue
		}
		if err := os.Remove(filepath.Join(s.objects(), sum)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing object: %w", err)
		}
		delete(s.sizes, sum)
	}
	return nil
}

// reach returns the objects that revisions name: their trees, and what those list.
func (s *Store) reach(list []Revision) (map[string]bool, error) {
	reached := map[string]bool{}
	for _, r := range list {
		if reached[r.Tree] {
			continue
		}
		reached[r.Tree] = true
		tree, err := s.tree(r.Tree)
		if err != nil {
			return nil, err
		}
		for _, sum := range tree {
			reached[sum] = true
		}
	}
	return reached, nil
}

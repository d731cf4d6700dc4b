package revs

import (
	"bytes"
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
// so does the newest revision. Of a history that can't be read as a whole nothing is
// forgotten.
func (s *Store) Trim(limits Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reopen(); err != nil {
		return err
	}
	if s.within(limits) {
		return nil
	}
	if s.torn {
		return fmt.Errorf("its log has lines that can't be read: %w", ErrDamaged)
	}
	keep, err := s.newest(limits)
	if err != nil {
		return err
	}
	if len(keep) < len(s.list) {
		if err := s.rewrite(keep); err != nil {
			return err
		}
	}
	return s.collect()
}

// newest returns the revisions that a history within limits has room for.
func (s *Store) newest(limits Limits) ([]entry, error) {
	uses, trees := map[string]int{}, map[string][]string{} // of an object: trees and revisions
	var total int64
	use := func(sum string) {
		if uses[sum]++; uses[sum] == 1 {
			total += s.sizes[sum]
		}
	}
	leave := func(sum string) {
		if uses[sum]--; uses[sum] == 0 {
			total -= s.sizes[sum]
			delete(uses, sum)
		}
	}
	for _, e := range s.list {
		if trees[e.Tree] == nil {
			tree, err := s.tree(e.Tree)
			if err != nil {
				return nil, err
			}
			trees[e.Tree] = append(slices.Collect(maps.Values(tree)), e.Tree)
		}
		for _, sum := range trees[e.Tree] {
			use(sum)
		}
	}
	head, _ := s.head()
	var keep []entry
	left := len(s.list)
	for i, e := range s.list {
		over := left > limits.Revisions || total > limits.Bytes || len(uses) > limits.Files
		if !over || e.ID == head.ID || i == len(s.list)-1 {
			keep = append(keep, e)
			continue
		}
		left--
		for _, sum := range trees[e.Tree] {
			leave(sum)
		}
	}
	return keep, nil
}

// within reports whether all that is on disk, reachable or not, is within limits.
func (s *Store) within(limits Limits) bool {
	var total int64
	for _, size := range s.sizes {
		total += size
	}
	return len(s.list) <= limits.Revisions && total <= limits.Bytes && len(s.sizes) <= limits.Files
}

// rewrite makes keep the log. It is replaced whole: a crash leaves the old log or
// the new one.
func (s *Store) rewrite(keep []entry) error {
	var lines bytes.Buffer
	for _, e := range keep {
		lines.Write(append(slices.Clip(e.line), '\n'))
	}
	s.stale = true // of an error it is not known which of the two is there
	if err := disk.WriteFile(s.logPath(), lines.Bytes()); err != nil {
		return fmt.Errorf("shortening history: %w", errors.Join(err, s.reopen()))
	}
	return s.reopen()
}

// collect removes the objects that no revision reaches.
func (s *Store) collect() error {
	if s.torn {
		return ErrDamaged
	}
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
func (s *Store) reach(list []entry) (map[string]bool, error) {
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

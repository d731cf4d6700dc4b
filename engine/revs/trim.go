package revs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
)

// Limits bound a history.
type Limits struct {
	Revisions int
	Bytes     int64 // of all objects
	Files     int   // objects
	// Now is the time after which a revision must be kept to stay whatever the limits.
	Now time.Time
}

// Trim forgets revisions, those that are least missed first, until the history is within its limits, and
// removes the objects that none of the others has. The head stays in any case, and
// so do the newest revision and those that are kept. Of a history that can't be read as
// a whole nothing is forgotten.
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
	gone := map[int]bool{}
	for _, i := range s.dispensable(limits) {
		e := s.list[i]
		over := len(s.list)-len(gone) > limits.Revisions || total > limits.Bytes || len(uses) > limits.Files
		if !over || e.ID == head.ID || i == len(s.list)-1 || s.marks[e.ID].Until.After(limits.Now) {
			continue
		}
		gone[e.ID] = true
		for _, sum := range trees[e.Tree] {
			leave(sum)
		}
	}
	return slices.DeleteFunc(slices.Clone(s.list), func(e entry) bool { return gone[e.ID] }), nil
}

// dispensable returns the places of all revisions in the order in which they are
// forgotten: saves that the next one of the same file followed at once, then the others,
// and last those that a job or a restore names, as many as half the limit. Of each the
// oldest goes first.
func (s *Store) dispensable(limits Limits) (places []int) {
	named := map[int]bool{}
	for _, e := range s.list {
		if e.Kind == Restore {
			named[e.ID], named[e.Of] = true, true
		}
		named[e.ID] = named[e.ID] || e.Job != ""
	}
	spared := limits.Revisions / 2
	ranks := make([]int, len(s.list))
	for i, e := range slices.Backward(s.list) {
		switch {
		case named[e.ID] && spared > 0:
			ranks[i], spared = 2, spared-1
		case named[e.ID] || i == len(s.list)-1 || !e.folds(s.list[i+1].Revision):
			ranks[i] = 1
		}
		places = append(places, i)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(ranks[a]-ranks[b], a-b) })
	return places
}

// foldedWithin is how soon another save of the same file makes one of no account.
const foldedWithin = time.Minute

// folds reports whether a person's save is of no account once there is the next one.
func (r Revision) folds(next Revision) bool {
	return r.isSave() && next.isSave() && r.Message == next.Message && next.Time.Sub(r.Time) < foldedWithin
}

func (r Revision) isSave() bool {
	return r.Kind == Authored && r.Job == "" && r.Author == contract.AuthorUser
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

package revs

import "slices"

// Undo returns the revision that the project was at so many changes ago, and how many
// that are: fewer where the history does not go back so far, 0 when there is none. A
// restored revision stands for the one whose files it brought back, so that undoing
// goes on from there.
func (s *Store) Undo(steps int) (Revision, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, there := s.head()
	found, done := Revision{}, 0
	for tree := at.Tree; there && done < steps; {
		origin, ok := s.origin(at)
		if !ok || len(origin.Parents) == 0 {
			break
		}
		if at, there = s.parent(origin); there && at.Tree != tree {
			found, tree = at, at.Tree
			done++
		}
	}
	if origin, ok := s.origin(found); ok { // which says more of itself than a restore
		found = origin
	}
	return found, done
}

// Redo returns the revision that was made last of the files that the project was
// taken back to, if it was.
func (s *Store) Redo() (Revision, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head, there := s.head()
	if !there || head.Kind != Restore {
		return Revision{}, false
	}
	base, ok := s.origin(head)
	if !ok {
		return Revision{}, false
	}
	for _, e := range slices.Backward(s.list) {
		if e.Kind == Restore || !slices.Contains(heads, e.Kind) || len(e.Parents) == 0 {
			continue
		}
		if parent, ok := s.parent(e.Revision); ok {
			if from, ok := s.origin(parent); ok && from.ID == base.ID {
				return e.Revision, true
			}
		}
	}
	return Revision{}, false
}

// Like returns the newest revision that was the project's and holds these files.
func (s *Store) Like(files Files) (Revision, bool) {
	tree, _, err := treeOf(files)
	if err != nil {
		return Revision{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range slices.Backward(s.list) {
		if e.Tree == tree && slices.Contains(heads, e.Kind) {
			return e.Revision, true
		}
	}
	return Revision{}, false
}

// origin follows restores to the revision whose files they brought back.
func (s *Store) origin(r Revision) (Revision, bool) {
	for r.Kind == Restore {
		of, ok := s.find(r.Of)
		if !ok || of.ID >= r.ID {
			return Revision{}, false
		}
		r = of
	}
	return r, true
}

// parent returns the revision that another was made from, or, where that is forgotten,
// the newest one before it that was the project's. r has a parent.
func (s *Store) parent(r Revision) (Revision, bool) {
	for _, e := range slices.Backward(s.list) {
		if e.ID == r.Parents[0] || e.ID < r.Parents[0] && slices.Contains(heads, e.Kind) {
			return e.Revision, true
		}
	}
	return Revision{}, false
}

func (s *Store) find(id int) (Revision, bool) {
	i := slices.IndexFunc(s.list, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return Revision{}, false
	}
	return s.list[i].Revision, true
}

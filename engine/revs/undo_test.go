package revs_test

import (
	"fmt"
	"testing"

	"github.com/svc-games/svc/engine/revs"
)

// restore adds a revision with the files of another.
func restore(t *testing.T, s *revs.Store, id int) {
	t.Helper()
	files, err := s.Files(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, added, err := s.Commit(revs.Revision{Kind: revs.Restore, Of: id}, files, nil); err != nil || !added {
		t.Fatalf("restoring %d: %v, %v", id, added, err)
	}
}

func TestUndoGoesOnFromWhatWasRestored(t *testing.T) {
	s := open(t, t.TempDir())
	undo := func(steps, want, wantSteps int) {
		t.Helper()
		r, done := s.Undo(steps)
		if r.ID != want || done != wantSteps {
			t.Fatalf("undo of %d: revision %d after %d, want %d after %d", steps, r.ID, done, want, wantSteps)
		}
		if done > 0 {
			restore(t, s, r.ID)
		}
	}
	redo := func(want int) {
		t.Helper()
		r, ok := s.Redo()
		if r.ID != want || ok != (want > 0) {
			t.Fatalf("redo: revision %d, want %d", r.ID, want)
		}
		if ok {
			restore(t, s, r.ID)
		}
	}
	undo(1, 0, 0)
	for i := 1; i <= 3; i++ {
		commit(t, s, revs.Generated, revs.Files{"game/a": fmt.Append(nil, i)})
	}
	redo(0)
	undo(1, 2, 1) // 4
	undo(1, 1, 1) // 5
	undo(1, 0, 0)
	redo(2) // 6
	redo(3) // 7
	redo(0)
	undo(9, 1, 2) // 8
	commit(t, s, revs.Draft, revs.Files{"game/a": []byte("draft")})
	commit(t, s, revs.Generated, revs.Files{"game/a": []byte("10")})
	redo(0)
	undo(1, 1, 1) // 11
	undo(1, 0, 0)
	redo(10)
}

func TestUndoPassesOverWhatIsTheSameAndEndsWhereTheHistoryDoes(t *testing.T) {
	s := open(t, t.TempDir())
	for _, text := range []string{"1", "2", "3"} {
		commit(t, s, revs.Generated, revs.Files{"game/a": []byte(text)})
	}
	restore(t, s, 2)
	commit(t, s, revs.Generated, revs.Files{"game/a": []byte("2b")})
	commit(t, s, revs.Generated, revs.Files{"game/a": []byte("2")})
	if r, done := s.Undo(2); r.ID != 2 || done != 2 {
		t.Errorf("revision %d after %d", r.ID, done)
	}
	if err := s.Trim(revs.Limits{Revisions: 2, Bytes: 1 << 20, Files: 100}); err != nil {
		t.Fatal(err)
	}
	if r, done := s.Undo(9); r.ID != 5 || done != 1 {
		t.Errorf("of a shortened history: revision %d after %d", r.ID, done)
	}
}

package revs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/revs"
)

func TestWhatWasProvenStaysSoAndIsForgottenWithItsRevision(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	save := revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: "Saved a.js", Time: time.Unix(1, 0).UTC()}
	later(t, s, save, 3, time.Hour)
	for id := 1; id <= 2; id++ {
		if err := s.MarkProven(id); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Trim(revs.Limits{Revisions: 2, Bytes: 1 << 20, Files: 100}); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkProven(3); err != nil {
		t.Fatal(err)
	}
	if marks := open(t, dir).Marks(); len(marks) != 2 || !marks[2].Proven || !marks[3].Proven {
		t.Errorf("%+v", marks)
	}
	if err := os.WriteFile(filepath.Join(dir, "marks.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if marks := open(t, dir).Marks(); len(marks) != 0 {
		t.Errorf("of marks that can't be read: %+v", marks)
	}
}

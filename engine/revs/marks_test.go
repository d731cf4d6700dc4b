package revs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/revs"
)

func TestARevisionThatIsKeptOutlivesTheLimitsUntilItsTime(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1000, 0).UTC()
	s := open(t, dir)
	save := revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: "Saved a.js", Time: now}
	later(t, s, save, 10, time.Hour)
	limits := revs.Limits{Revisions: 4, Bytes: 1 << 20, Files: 1000, Now: now}
	for _, id := range []int{2, 3} {
		if err := s.Keep(id, now.Add(time.Hour), limits); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Keep(4, now.Add(time.Hour), limits); !errors.Is(err, revs.ErrMarked) {
		t.Errorf("more than half is kept: %v", err)
	}
	if err := s.Keep(99, now.Add(time.Hour), limits); !errors.Is(err, revs.ErrUnknown) {
		t.Errorf("what is not there is kept: %v", err)
	}
	if err := s.Keep(3, time.Time{}, limits); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if err := s.Trim(limits); err != nil {
		t.Fatal(err)
	}
	if got := ids(s); !slices.Equal(got, []int{2, 8, 9, 10}) {
		t.Errorf("%v are left", got)
	}
	limits.Revisions, limits.Now = 2, now.Add(2*time.Hour)
	if err := s.Trim(limits); err != nil {
		t.Fatal(err)
	}
	if got := ids(s); !slices.Equal(got, []int{9, 10}) {
		t.Errorf("after its time %v are left", got)
	}
}

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

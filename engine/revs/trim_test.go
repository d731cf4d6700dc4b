package revs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/revs"
)

// later commits n revisions like r, each so much later than the one before.
func later(t *testing.T, s *revs.Store, r revs.Revision, n int, apart time.Duration) {
	t.Helper()
	for range n {
		r.Time = r.Time.Add(apart)
		if _, added, err := s.Commit(r, revs.Files{"game/a": fmt.Append(nil, r.Kind, len(s.List()))}, nil); err != nil || !added {
			t.Fatalf("added %v, %v", added, err)
		}
	}
}

func ids(s *revs.Store) (out []int) {
	for _, r := range s.List() {
		out = append(out, r.ID)
	}
	return out
}

func TestSavesPushOutNoRevisionOfAJob(t *testing.T) {
	job := revs.Revision{Kind: revs.Generated, Job: "job_1", Author: "embedded", Message: "m", Time: time.Unix(1, 0).UTC()}
	save := revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: "Saved src/main.js", Time: job.Time}
	for name, c := range map[string]struct {
		jobs, saves int
		apart       time.Duration
		want        []int
	}{
		"one after the other": {1, 30, 10 * time.Second, []int{1, 23, 24, 25, 26, 27, 28, 29, 30, 31}},
		"now and then":        {1, 30, time.Hour, []int{1, 23, 24, 25, 26, 27, 28, 29, 30, 31}},
		"after many jobs":     {20, 10, time.Hour, []int{16, 17, 18, 19, 20, 26, 27, 28, 29, 30}},
	} {
		s := open(t, t.TempDir())
		later(t, s, job, c.jobs, time.Second)
		later(t, s, save, c.saves, c.apart)
		if err := s.Trim(revs.Limits{Revisions: 10, Bytes: 1 << 20, Files: 1000}); err != nil {
			t.Fatal(err)
		}
		if got := ids(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
		if r, done := s.Undo(9); r.ID != c.want[0] || done != 9 {
			t.Errorf("%s: undone to %d in %d steps", name, r.ID, done)
		}
	}
}

func TestSavesThatTheNextOneFollowsAtOnceGoFirst(t *testing.T) {
	s := open(t, t.TempDir())
	save := revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: "Saved a.js", Time: time.Unix(1, 0).UTC()}
	later(t, s, save, 2, time.Hour)
	save.Time = save.Time.Add(24 * time.Hour)
	later(t, s, save, 3, time.Second)
	save.Message = "Saved b.js"
	later(t, s, save, 1, 2*time.Second)
	if err := s.Trim(revs.Limits{Revisions: 4, Bytes: 1 << 20, Files: 1000}); err != nil {
		t.Fatal(err)
	}
	if got := ids(s); !slices.Equal(got, []int{1, 2, 5, 6}) {
		t.Errorf("%v are left", got)
	}
	if r, done := s.Undo(2); r.ID != 2 || done != 2 {
		t.Errorf("undone to %d in %d steps", r.ID, done)
	}
}

func TestWhatARestoreNamesStaysWithIt(t *testing.T) {
	s := open(t, t.TempDir())
	save := revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: "Saved a.js", Time: time.Unix(1, 0).UTC()}
	later(t, s, save, 3, time.Second)
	files, err := s.Files(2)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Commit(revs.Revision{Kind: revs.Restore, Of: 2, Author: contract.AuthorUser, Time: save.Time}, files, nil); err != nil {
		t.Fatal(err)
	}
	save.Time = save.Time.Add(time.Hour)
	later(t, s, save, 9, time.Second)
	if err := s.Trim(revs.Limits{Revisions: 5, Bytes: 1 << 20, Files: 1000}); err != nil {
		t.Fatal(err)
	}
	if got := ids(s); !slices.Equal(got, []int{2, 3, 4, 12, 13}) {
		t.Errorf("%v are left", got)
	}
}

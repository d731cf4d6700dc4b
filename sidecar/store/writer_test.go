package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestFailedUpdateUndoesItsOwnWritesOnly(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	failure := errors.New("no")
	results := group(t, s,
		addUser("a"),
		func(tx *Tx) error { return errors.Join(addUser("b")(tx), failure) },
		addUser("a"), // the id is taken
		addUser("c"),
	)
	for i, wantErr := range []bool{false, true, true, false} {
		if (results[i] != nil) != wantErr {
			t.Errorf("operation %d: %v", i, results[i])
		}
	}
	if !errors.Is(results[1], failure) {
		t.Errorf("got %v, want the operation's own error", results[1])
	}
	if got := strings.Join(users(t, s), " "); got != "a c" {
		t.Errorf("users %q, want a and c", got)
	}
}

func TestFailureRunsWhatCameBeforeItOnceMoreAndNothingElse(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	failure := errors.New("refused")
	unwritten := func(*Tx) error { return failure }
	undone := func(id string) func(*Tx) error {
		return func(tx *Tx) error { return errors.Join(addUser(id)(tx), failure) }
	}
	for round, c := range []struct {
		name string
		fail [2]func(*Tx) error
		runs [5]int
	}{
		{"nothing is written", [2]func(*Tx) error{unwritten, unwritten}, [5]int{1, 1, 1, 1, 1}},
		{"the second writes", [2]func(*Tx) error{unwritten, undone("x")}, [5]int{2, 2, 2, 2, 1}},
		{"after a failure", [2]func(*Tx) error{undone("x"), undone("y")}, [5]int{1, 1, 1, 1, 1}},
	} {
		var runs [5]int
		counted := func(i int, fn func(*Tx) error) func(*Tx) error {
			return func(tx *Tx) error {
				runs[i]++
				return fn(tx)
			}
		}
		id := func(i int) string { return fmt.Sprintf("%d%d", round, i) }
		results := group(t, s,
			counted(0, addUser(id(0))),
			counted(1, c.fail[0]),
			counted(2, addUser(id(2))),
			counted(3, c.fail[1]),
			counted(4, addUser(id(4))),
		)
		for i, err := range results {
			if errors.Is(err, failure) != (i%2 == 1) {
				t.Errorf("%s, operation %d: %v", c.name, i, err)
			}
		}
		if runs != c.runs {
			t.Errorf("%s: the operations ran %v times, want %v", c.name, runs, c.runs)
		}
	}
	if got := strings.Join(users(t, s), " "); got != "00 02 04 10 12 14 20 22 24" {
		t.Errorf("users %q", got)
	}
}

func TestOperationsThatWaitShareOneCommit(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	var committed, written int
	group(t, s, addUser("a"), addUser("b"), func(tx *Tx) error {
		committed = len(users(t, s)) // by another connection
		return tx.Row("SELECT count(*) FROM users").Scan(&written)
	})
	if committed != 0 || written != 2 {
		t.Errorf("third operation sees %d rows committed and %d written, want 0 and 2", committed, written)
	}
}

func TestFailedCommitFailsTheWholeGroupAndNoLaterOne(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	if err := s.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec(`CREATE TABLE late (user_id TEXT REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED)`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	results := group(t, s, addUser("a"), func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO late (user_id) VALUES ('nobody')") // found out at commit
		return err
	})
	for i, err := range results {
		if err == nil {
			t.Errorf("operation %d reports success", i)
		}
	}
	if err := s.Update(t.Context(), addUser("b")); err != nil {
		t.Errorf("after the failed commit: %v", err)
	}
	if got := strings.Join(users(t, s), " "); got != "b" {
		t.Errorf("users %q, want b", got)
	}
}

func TestFullDatabaseKeepsWhatItAcknowledgedAndNothingElse(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	err := s.Update(t.Context(), func(tx *Tx) error {
		var pages int
		if err := tx.Row("PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		return tx.Row(fmt.Sprintf("PRAGMA max_page_count = %d", pages+3)).Scan(&pages)
	})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(tx *Tx) error {
		for i := range 1000 {
			if err := addUser(fmt.Sprintf("%0100d", i))(tx); err != nil {
				return err
			}
		}
		return nil
	}
	results := group(t, s, addUser("a"), fill, addUser("b"))
	if results[1] == nil {
		t.Error("the database did not fill up")
	}
	want := make([]string, 0, 2)
	for i, id := range map[int]string{0: "a", 2: "b"} {
		if results[i] == nil {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if got := users(t, s); !slices.Equal(got, want) {
		t.Errorf("users %q, acknowledged %q", got, want)
	}
}

// group has operations wait for the writer together and returns their results.
func group(t *testing.T, s *Store, fns ...func(*Tx) error) []error {
	t.Helper()
	entered, leave := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) }) // it runs again when one of them fails
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Update(context.Background(), func(*Tx) error {
			enter()
			<-leave
			return nil
		})
		_ = err // the whole group may have failed: that is for the caller to see
	})
	<-entered
	results := make([]error, len(fns))
	for i, fn := range fns {
		wg.Go(func() { results[i] = s.Update(context.Background(), fn) })
		for len(s.writing.(*writer).queue) <= i { // in this order
			runtime.Gosched()
		}
	}
	close(leave)
	wg.Wait()
	return results
}

func TestUpdateWhoseCallerLeavesWhileTheDatabaseIsLockedIsNotRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	s := open(t, path)
	other, err := openSQLite(path, 1, busyTimeout)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- s.Update(ctx, addUser("a")) }()
	for w := s.writing.(*writer); !w.beginning.Load(); {
		runtime.Gosched()
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) || !errors.Is(err, errLocked) {
		t.Errorf("got %v, want that the lock was waited for in vain", err)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), addUser("b")); err != nil {
		t.Fatal(err)
	}
	if got := users(t, s); !slices.Equal(got, []string{"b"}) {
		t.Errorf("users %q, want that of the caller who stayed", got)
	}
}

func TestNumbersOfALogAreDense(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "svc.db"))
	var seqs [3]int64
	take := func(i int) func(*Tx) error {
		return func(tx *Tx) (err error) {
			seqs[i], err = tx.NextSeq(LogAudit)
			return err
		}
	}
	failure := errors.New("no")
	group(t, s, take(0), func(tx *Tx) error { return errors.Join(take(1)(tx), failure) }, take(2))
	if seqs != [3]int64{1, 2, 2} {
		t.Errorf("numbers %v, want 1, 2 (undone), 2", seqs)
	}
}

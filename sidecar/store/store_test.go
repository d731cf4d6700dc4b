package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/long"
)

// openers return for each kind of store a new database and how to open it.
var openers = map[string]func(t *testing.T) func() (*Store, error){
	"SQLite": func(t *testing.T) func() (*Store, error) {
		path := filepath.Join(t.TempDir(), "svc.db")
		return func() (*Store, error) { return OpenSQLite(context.Background(), path) }
	},
	"PostgreSQL": func(t *testing.T) func() (*Store, error) {
		url := postgrestest.URL(t)
		return func() (*Store, error) { return OpenPostgres(context.Background(), url) }
	},
}

// onEach runs a test on every kind of store. again opens the same database once
// more.
func onEach(t *testing.T, test func(t *testing.T, s *Store, again func() *Store)) {
	t.Helper()
	for name, opener := range openers {
		t.Run(name, func(t *testing.T) {
			open := opener(t)
			again := func() *Store { return opened(t, open) }
			test(t, again(), again)
		})
	}
}

func open(t *testing.T, path string) *Store {
	t.Helper()
	return opened(t, func() (*Store, error) { return OpenSQLite(t.Context(), path) })
}

func opened(t *testing.T, open func() (*Store, error)) *Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func addUser(id string) func(*Tx) error {
	return func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO users (id, created_at) VALUES (?, 1)", id)
		return err
	}
}

func users(t *testing.T, s *Store) []string {
	t.Helper()
	var ids []string
	err := s.View(t.Context(), func(r *Reader) error {
		return r.Each(func(scan Scan) error {
			var id string
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, "SELECT id FROM users ORDER BY id")
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

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

func TestUpdateWhoseCallerLeftBeforeItBeganIsNotRun(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Update(ctx, addUser("a"))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if got := users(t, s); len(got) != 0 {
			t.Errorf("users %q, want none", got)
		}
	})
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

func TestCommittedWritesSurviveReopening(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, again func() *Store) {
		if err := s.Update(t.Context(), addUser("a")); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := users(t, again()); len(got) != 1 {
			t.Errorf("users %q, want one", got)
		}
	})
}

func TestPathMayHoldWhatMeansSomethingInAURL(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c=d#e%41&f")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "svc.db")
	s := open(t, path)
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

func TestRelativePathIsUnderTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, "svc.db")
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("svc.db"); err != nil || info.Size() == 0 {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

// On a new connection the driver may say only that it is closed, when the
// context's end has closed it.
func TestReadThatItsContextCutsOffSaysSo(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		rounds := 100
		if long.Asked() {
			rounds = 1000
		}
		for i := range rounds {
			for range cap(s.idle) {
				c := <-s.idle
				if err := c.discard(); err != nil {
					t.Fatal(err)
				}
				s.idle <- c
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%100)*100*time.Microsecond)
			err := s.View(ctx, func(r *Reader) error {
				var one int
				return r.Row("SELECT 1").Scan(&one)
			})
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after %d times 100 µs: %v", i%100, err)
			}
		}
	})
}

func TestClosedStoreRefusesEverything(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(t.Context(), addUser("a")); !errors.Is(err, ErrClosed) {
			t.Errorf("Update: %v, want ErrClosed", err)
		}
		if err := s.View(t.Context(), func(*Reader) error { return nil }); !errors.Is(err, ErrClosed) {
			t.Errorf("View: %v, want ErrClosed", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
}

func TestDatabaseFilesAreForTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "svc.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 2 {
		t.Errorf("%d files, want the database and its log", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", e.Name(), info.Mode().Perm())
		}
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

func TestSQLiteLogsAheadAndFlushesEveryCommit(t *testing.T) {
	s := opened(t, openers["SQLite"](t))
	// A misspelt pragma in an address is no error, and nothing else would show it.
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "wal_autocheckpoint": "4000", "cache_size": "-16384",
	} {
		if err := s.Update(t.Context(), func(tx *Tx) error {
			var got string
			if err := tx.Row("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %q, %v; want %s", pragma, got, err, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.View(t.Context(), func(r *Reader) error {
		var readOnly int
		if err := r.Row("PRAGMA query_only").Scan(&readOnly); err != nil || readOnly != 1 {
			t.Errorf("what reads may write: %d, %v", readOnly, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestATextThatNoDatabaseHoldsIsInNoRow: what people put into an address comes
// as the argument of a query, and PostgreSQL refuses some of it.
func TestATextThatNoDatabaseHoldsIsInNoRow(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		if err := s.Update(t.Context(), addUser("alice")); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"alice\x00", "\xff"} {
			look := func(r *Reader) error {
				var id string
				if err := r.Row("SELECT id FROM users WHERE id = ?", text).Scan(&id); !errors.Is(err, ErrNoRows) {
					t.Errorf("%q: %v, want ErrNoRows", text, err)
				}
				return r.Each(func(Scan) error {
					t.Errorf("%q: found", text)
					return nil
				}, "SELECT id FROM users WHERE id = ?", text)
			}
			if err := s.View(t.Context(), look); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			// An operation that has asked for it goes on.
			if err := s.Update(t.Context(), func(tx *Tx) error {
				if err := tx.LockUser(text); !errors.Is(err, ErrUnknownUser) {
					t.Errorf("%q: %v, want ErrUnknownUser", text, err)
				}
				if err := tx.Lock("SELECT id FROM users WHERE id = ?", text); err != nil {
					t.Errorf("%q: %v", text, err)
				}
				return errors.Join(look(&tx.Reader), tx.LockUser("alice"))
			}); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

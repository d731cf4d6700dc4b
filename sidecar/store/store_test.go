package store

import (
	"context"
	"errors"
	"path/filepath"
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

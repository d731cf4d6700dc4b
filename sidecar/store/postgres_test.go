package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func openPostgres(t *testing.T) *Store {
	t.Helper()
	return opened(t, openers["PostgreSQL"](t))
}

func TestOperationsThatDeadlockBothTakePlace(t *testing.T) {
	url := postgrestest.URL(t) + "&deadlock_timeout=100ms"
	s := opened(t, func() (*Store, error) { return OpenPostgres(context.Background(), url) })
	for _, id := range []string{"a", "b"} {
		if err := s.Update(t.Context(), addUser(id)); err != nil {
			t.Fatal(err)
		}
	}
	var first sync.WaitGroup // both have one lock
	first.Add(2)
	var runs [2]int
	locking := func(i int, ids ...string) func(*Tx) error {
		return func(tx *Tx) error {
			runs[i]++
			if err := tx.LockUser(ids[0]); err != nil {
				return err
			}
			if runs[i] == 1 {
				first.Done()
				first.Wait()
			}
			if err := tx.LockUser(ids[1]); err != nil {
				return err
			}
			return addUser(strings.Join(ids, ""))(tx)
		}
	}
	var wg sync.WaitGroup
	for i, ids := range [][]string{{"a", "b"}, {"b", "a"}} {
		wg.Go(func() {
			if err := s.Update(t.Context(), locking(i, ids...)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// Three runs when the second attempt waits its turn; more when it meets the
	// same deadlock again.
	if got := strings.Join(users(t, s), " "); got != "a ab b ba" || runs[0]+runs[1] < 3 {
		t.Errorf("users %q after %v runs, want a ab b ba after 3 or more", got, runs)
	}
}

func TestOperationThatIgnoresAFailedStatementIsNotAcknowledged(t *testing.T) {
	s := openPostgres(t)
	err := s.Update(t.Context(), func(tx *Tx) error {
		if err := addUser("a")(tx); err != nil {
			return err
		}
		_ = addUser("a")(tx) // the id is taken
		return nil
	})
	if !errors.Is(err, errSwallowed) {
		t.Errorf("got %v, want errSwallowed", err)
	}
	if err := s.Update(t.Context(), addUser("b")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if got := users(t, s); len(got) != 1 || got[0] != "b" {
		t.Errorf("users %q, want b", got)
	}
}

func TestLockHoldsARowUntilTheCommit(t *testing.T) {
	s := openPostgres(t)
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	const clients, rounds = 8, 5
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range rounds {
				err := s.Update(context.Background(), func(tx *Tx) error {
					if err := tx.Lock("SELECT id FROM users WHERE id = ?", "a"); err != nil {
						return err
					}
					var at int64 // read and written back: lost without the lock
					if err := tx.Row("SELECT created_at FROM users WHERE id = 'a'").Scan(&at); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE users SET created_at = ? WHERE id = 'a'", at+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var at int64
	err := s.View(t.Context(), func(r *Reader) error {
		return r.Row("SELECT created_at FROM users WHERE id = 'a'").Scan(&at)
	})
	if err != nil || at != 1+clients*rounds {
		t.Errorf("counted %d (%v), want %d", at, err, 1+clients*rounds)
	}
}

func TestNumbersOfALogAppearInOrder(t *testing.T) {
	s := openPostgres(t)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				err := s.Update(context.Background(), func(tx *Tx) error {
					seq, err := tx.NextSeq(LogAudit)
					if err != nil {
						return err
					}
					_, err = tx.Exec("INSERT INTO audit (seq, at, actor, action, subject, detail) VALUES (?, 1, '', '', '', '')", seq)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		var count, last int64
		err := s.View(t.Context(), func(r *Reader) error {
			return r.Row("SELECT count(*), coalesce(max(seq), 0) FROM audit").Scan(&count, &last)
		})
		if err != nil || count != last || finished && count != 100 {
			t.Fatalf("%d entries up to %d (%v)", count, last, err)
		}
	}
}

func TestViewSeesOneSnapshot(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		err := s.View(t.Context(), func(r *Reader) error {
			var before, after int
			if err := r.Row("SELECT count(*) FROM users").Scan(&before); err != nil {
				return err
			}
			if err := s.Update(context.Background(), addUser("a")); err != nil {
				return err
			}
			err := r.Row("SELECT count(*) FROM users").Scan(&after)
			if before != 0 || after != 0 {
				t.Errorf("%d users, then %d", before, after)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestStoreWithoutAnInjectedClockHasItsOwn(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		injected := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		err := s.View(t.Context(), func(r *Reader) error {
			const step = time.Millisecond // of the store's clock
			from := time.Now().Add(-step)
			now, err := r.Now(nil)
			if to := time.Now().Add(step); now.Before(from) || now.After(to) { // one machine, one clock
				t.Errorf("the store's clock says %v between %v and %v", now, from, to)
			}
			if at, err := r.Now(func() time.Time { return injected }); err != nil || !at.Equal(injected) {
				t.Errorf("got %v, %v", at, err)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestStoreRecoversWhenPostgreSQLComesBack(t *testing.T) {
	s := openPostgres(t)
	acknowledged := 0
	for i := range 20 {
		if err := s.Update(t.Context(), addUser(fmt.Sprintf("before%02d", i))); err != nil {
			t.Fatal(err)
		}
		acknowledged++
	}
	postgrestest.Stop(t)
	if err := s.Update(t.Context(), addUser("meanwhile")); err == nil {
		t.Error("acknowledged without a server")
	}
	if err := s.View(t.Context(), func(*Reader) error { return nil }); err == nil {
		t.Error("read without a server")
	}
	postgrestest.Start(t)
	for i := range 2 * postgresWriters { // each connection, and none fails
		if err := s.Update(t.Context(), addUser(fmt.Sprintf("after%02d", i))); err != nil {
			t.Fatalf("operation %d after the restart: %v", i, err)
		}
		acknowledged++
	}
	if got := users(t, s); len(got) != acknowledged {
		t.Errorf("%d users, %d acknowledged", len(got), acknowledged)
	}
}

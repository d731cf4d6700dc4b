package store

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAGlanceSaysEnoughOrTheSnapshotIsReadAsByView(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		if err := s.Update(t.Context(), addUser("a")); err != nil {
			t.Fatal(err)
		}
		count := func(looks, found *int64) func(*Reader) error {
			return func(r *Reader) error {
				*looks++
				var columns [2]int64
				err := r.Numbers(columns[:], "SELECT count(*), 7 FROM users WHERE id = ?", "a")
				*found += columns[0] * columns[1]
				return err
			}
		}
		var glances, views, seen, read int64
		for range 2 * cap(s.idle) { // a connection is opened by the first that reads
			if err := s.Glance(t.Context(), count(&glances, &seen), count(&views, &read)); err != nil {
				t.Fatal(err)
			}
		}
		if most := int64(cap(s.idle)); glances != most || views != most || seen != 7*most || read != 7*most {
			t.Errorf("%d glances and %d views of %d connections found %d and %d", glances, views, most, seen, read)
		}
		unsure := func(*Reader) error { return errors.New("it can't say") }
		if err := s.Glance(t.Context(), unsure, count(&views, &read)); err != nil || read != 7*(int64(cap(s.idle))+1) {
			t.Errorf("after a glance that could not say: %v, found %d", err, read)
		}
		left, leave := context.WithCancel(t.Context())
		err := s.Glance(left, func(*Reader) error { leave(); return left.Err() }, func(*Reader) error {
			t.Error("it is read for a caller who left")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("of a caller who left: %v", err)
		}
		if got := users(t, s); len(got) != 1 {
			t.Errorf("users %q, want one", got)
		}
	})
}

func TestNumbersAreThoseOfTheFirstRow(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		for _, id := range []string{"a", "b"} {
			if err := s.Update(t.Context(), addUser(id)); err != nil {
				t.Fatal(err)
			}
		}
		err := s.View(t.Context(), func(r *Reader) error {
			var columns [1]int64
			if err := r.Numbers(columns[:], "SELECT 1 FROM users WHERE id = ?", "none"); !errors.Is(err, ErrNoRows) {
				t.Errorf("of no row: %v", err)
			}
			if err := r.Numbers(columns[:], "SELECT 1 FROM users WHERE id = ?", "\x00"); !errors.Is(err, ErrNoRows) {
				t.Errorf("of a text that is nowhere: %v", err)
			}
			if err := r.Numbers(columns[:], "SELECT id FROM users"); !errors.Is(err, errNumber) {
				t.Errorf("of a text: %v", err)
			}
			if err := r.Numbers(columns[:], "SELECT created_at FROM users ORDER BY id"); err != nil || columns[0] != 1 {
				t.Errorf("of two rows: %d, %v", columns[0], err)
			}
			return r.Numbers(columns[:], "SELECT created_at FROM users ORDER BY id")
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestNumbersEndWithTheirContext(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		endless := func(r *Reader) error {
			var columns [1]int64
			return r.Numbers(columns[:], "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4000000000) SELECT max(n) FROM c")
		}
		ready := func(r *Reader) error { return nil }
		for range cap(s.idle) {
			if err := s.View(t.Context(), ready); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := s.Glance(ctx, endless, endless); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("of a query that does not end: %v", err)
		}
		if got := users(t, s); len(got) != 0 {
			t.Errorf("after it: users %q", got)
		}
	})
}

func TestAGlanceWaitsForNoWriter(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		look := func() {
			t.Helper()
			var columns [1]int64
			count := func(r *Reader) error { return r.Numbers(columns[:], "SELECT count(*) FROM users") }
			if err := s.Glance(t.Context(), count, count); err != nil || columns[0] != 0 {
				t.Errorf("%d users are seen, %v; want none before the commit", columns[0], err)
			}
		}
		for range 2 * cap(s.idle) {
			look()
		}
		err := s.Update(t.Context(), func(tx *Tx) error {
			if err := addUser("a")(tx); err != nil {
				return err
			}
			look()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestAGlanceOnAConnectionThatDiedIsMadeGood(t *testing.T) {
	s := openPostgres(t)
	one := func(r *Reader) error {
		var columns [1]int64
		return r.Numbers(columns[:], "SELECT 1")
	}
	for range cap(s.idle) {
		if err := s.Glance(t.Context(), one, one); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Update(t.Context(), func(tx *Tx) error {
		return tx.Each(func(Scan) error { return nil },
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * cap(s.idle) {
		if err := s.Glance(t.Context(), one, one); err != nil {
			t.Errorf("after the server ended the connections: %v", err)
		}
	}
}

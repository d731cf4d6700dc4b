package store

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// TestUnhurriedReadsLeaveConnectionsForTheOthers has twice as many pages read as
// there are connections, none of which ends.
func TestUnhurriedReadsLeaveConnectionsForTheOthers(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		calm := Unhurried(t.Context())
		release := make(chan struct{})
		var reading, all sync.WaitGroup
		reading.Add(cap(s.turns))
		s.patience = time.Hour
		for range 2 * cap(s.idle) {
			all.Go(func() {
				err := s.View(calm, func(*Reader) error {
					select {
					case <-release: // those that waited until now
					default:
						reading.Done()
					}
					<-release
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		reading.Wait()
		left := cap(s.idle) - cap(s.turns)
		if left == 0 {
			t.Fatal("none are left")
		}
		var together, decisions sync.WaitGroup
		together.Add(left)
		for range left {
			decisions.Go(func() {
				if err := s.View(t.Context(), func(*Reader) error {
					together.Done()
					together.Wait()
					return nil
				}); err != nil {
					t.Error(err)
				}
			})
		}
		decisions.Wait()
		close(release)
		all.Wait()
	})
}

func TestUnhurriedReadWithoutATurnIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		s.patience = time.Millisecond
		for range cap(s.turns) {
			s.turns <- struct{}{}
		}
		if err := s.View(Unhurried(t.Context()), func(*Reader) error { return nil }); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want ErrBusy", err)
		}
		if err := s.View(t.Context(), func(*Reader) error { return nil }); err != nil {
			t.Errorf("another read: %v", err)
		}
		<-s.turns
		for range 3 { // each gives its turn back
			if err := s.View(Unhurried(t.Context()), func(*Reader) error { return nil }); err != nil {
				t.Errorf("with a turn left: %v", err)
			}
		}
	})
}

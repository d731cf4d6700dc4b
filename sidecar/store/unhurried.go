package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrBusy is returned, wrapped, for an unhurried read that others kept waiting.
var ErrBusy = errors.New("too many are reading at once")

// DefaultPatience is how long an unhurried read waits for its turn.
const DefaultPatience = 2 * time.Second

type unhurriedKey struct{}

// Unhurried returns a context whose reads leave connections for those that
// decisions wait for: together they have half of a store's. It is for pages and
// lists that people look at. One that gets no turn within DefaultPatience is
// ErrBusy.
func Unhurried(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// turn waits until a read of ctx may take a connection, and returns what gives
// the turn back.
func (s *Store) turn(ctx context.Context) (leave func(), err error) {
	if ctx.Value(unhurriedKey{}) == nil {
		return func() {}, nil
	}
	select {
	case s.turns <- struct{}{}:
		return func() { <-s.turns }, nil
	case <-time.After(s.patience):
		return nil, fmt.Errorf("waiting to read: %w", ErrBusy)
	case <-s.gone:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting to read: %w", ctx.Err())
	}
}

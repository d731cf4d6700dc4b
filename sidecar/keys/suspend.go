package keys

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// Suspend sets the state of an active user to policy.UserSuspended: once it returns,
// nothing is admitted with a key of the user, and what a policy says to suspended users
// holds. The user's jobs run on.
func (g *Registry) Suspend(ctx context.Context, actor, userID string) (User, error) {
	return g.setUserState(ctx, actor, userID, "user.suspend", policy.UserSuspended, func(tx *store.Tx, now time.Time) error {
		_, err := tx.Exec("INSERT INTO suspensions (user_id, at) VALUES (?, ?)", userID, now.UnixMilli())
		return err
	})
}

// Resume takes that back.
func (g *Registry) Resume(ctx context.Context, actor, userID string) (User, error) {
	return g.setUserState(ctx, actor, userID, "user.resume", policy.UserActive, func(tx *store.Tx, _ time.Time) error {
		_, err := tx.Exec("DELETE FROM suspensions WHERE user_id = ?", userID)
		return err
	})
}

// setUserState writes another state and voids all decisions that are cached: a user is
// the subject of those of the console, too.
func (g *Registry) setUserState(ctx context.Context, actor, userID, action, to string, write func(*store.Tx, time.Time) error) (User, error) {
	now := g.now()
	var user User
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, userID); err != nil {
			return err
		}
		// Submissions lock their key: none is admitted on what it read before.
		if err := tx.Lock("SELECT id FROM keys WHERE user_id = ? ORDER BY id", userID); err != nil {
			return err
		}
		var err error
		if user, err = readUser(&tx.Reader, userID); err != nil {
			return err
		}
		if user.State == to {
			return refuse(ErrState, "user %s is %s already", userID, to)
		}
		if err := write(tx, now); err != nil {
			return err
		}
		if _, err := tx.NextSeq(store.LogAttributes); err != nil {
			return err
		}
		entry := store.AuditEntry{Actor: actor, Action: action, Subject: userID, Detail: map[string]any{"from": user.State, "to": to}}
		user.State = to
		return tx.Audit(now, entry)
	})
	if err != nil {
		return User{}, fmt.Errorf("changing the state of a user: %w", err)
	}
	g.hub.Notify()
	return user, nil
}

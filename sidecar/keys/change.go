package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// Rename gives a key another name; a revoked one too, since it stays in lists.
func (g *Registry) Rename(ctx context.Context, actor, keyID, name string) (Key, error) {
	if err := checkName(name); err != nil {
		return Key{}, err
	}
	return g.change(ctx, keyID, func(tx *store.Tx, key *Key, now time.Time) error {
		entry := store.AuditEntry{Actor: actor, Action: "key.rename", Subject: keyID, Detail: map[string]any{"from": key.Name, "to": name}}
		key.Name = name
		return tx.Audit(now, entry)
	})
}

// SetLimits replaces the limits of a key that still has the given version, or
// returns ErrVersion. They hold from the next submission on; what was used
// stays counted.
func (g *Registry) SetLimits(ctx context.Context, actor, keyID string, version int64, limits policy.Limits) (Key, error) {
	if err := checkLimits(limits); err != nil {
		return Key{}, err
	}
	return g.change(ctx, keyID, func(tx *store.Tx, key *Key, now time.Time) error {
		if key.State == policy.KeyRevoked {
			return refuse(ErrState, "key %s is revoked, which is final", keyID)
		}
		if key.Version != version {
			return refuse(ErrVersion, "key %s was changed meanwhile: it has version %d, not %d; look at it and try again", keyID, key.Version, version)
		}
		entry := store.AuditEntry{Actor: actor, Action: "key.limits", Subject: keyID, Detail: map[string]any{"from": key.Limits, "to": limits}}
		key.Limits = limits
		return tx.Audit(now, entry)
	})
}

// Disable makes an active key unusable until it is enabled.
func (g *Registry) Disable(ctx context.Context, actor, keyID string) (Key, error) {
	return g.setState(ctx, actor, keyID, "key.disable", policy.KeyDisabled, policy.KeyActive)
}

// Enable makes a disabled key usable again.
func (g *Registry) Enable(ctx context.Context, actor, keyID string) (Key, error) {
	return g.setState(ctx, actor, keyID, "key.enable", policy.KeyActive, policy.KeyDisabled)
}

// Revoke ends a key for good. Once it returns no submission is admitted with
// the key; jobs that were accepted run on.
func (g *Registry) Revoke(ctx context.Context, actor, keyID string) (Key, error) {
	return g.setState(ctx, actor, keyID, "key.revoke", policy.KeyRevoked, policy.KeyActive, policy.KeyDisabled)
}

// setState moves a key to another state from one of those it may come from.
func (g *Registry) setState(ctx context.Context, actor, keyID, action, to string, from ...string) (Key, error) {
	key, err := g.change(ctx, keyID, func(tx *store.Tx, key *Key, now time.Time) error {
		if !slices.Contains(from, key.State) {
			return stateError(*key, to)
		}
		if key.Kind == KindStudio && to == policy.KeyRevoked {
			return refuse(ErrState, "key %s is the studio's, which can be disabled and not revoked", key.ID)
		}
		entry := store.AuditEntry{Actor: actor, Action: action, Subject: keyID, Detail: map[string]any{"from": key.State, "to": to}}
		key.State = to
		if err := announce(tx, now, keyID, to); err != nil {
			return err
		}
		return tx.Audit(now, entry)
	})
	if err == nil {
		g.hub.Notify()
	}
	return key, err
}

func stateError(key Key, to string) error {
	switch {
	case key.State == to:
		return refuse(ErrState, "key %s is %s already", key.ID, to)
	case key.State == policy.KeyRevoked:
		return refuse(ErrState, "key %s is revoked, which is final; create another", key.ID)
	}
	return refuse(ErrState, "key %s is %s", key.ID, key.State)
}

// change reads a key under its lock, lets edit change it and writes it back
// with the next version.
func (g *Registry) change(ctx context.Context, keyID string, edit func(*store.Tx, *Key, time.Time) error) (Key, error) {
	var key Key
	now := g.now()
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		// An id that no store can hold is one that readKey does not find.
		if _, err := tx.Exec("UPDATE keys SET version = version + 1 WHERE id = ?", keyID); err != nil && !errors.Is(err, store.ErrNoRows) {
			return err
		}
		var err error
		if key, err = readKey(&tx.Reader, keyID); err != nil {
			return err
		}
		key.Version-- // as the caller saw it
		if err := edit(tx, &key, now); err != nil {
			return err
		}
		key.Version++
		_, err = tx.Exec(`UPDATE keys SET name = ?, state = ?, jobs_per_day = ?, jobs_per_month = ?,
				max_concurrent_jobs = ?, tik_per_month = ? WHERE id = ?`,
			key.Name, key.State, key.Limits.JobsPerDay, key.Limits.JobsPerMonth,
			key.Limits.MaxConcurrentJobs, key.Limits.TIKPerMonth, keyID)
		return err
	})
	if err != nil {
		return Key{}, fmt.Errorf("changing the key: %w", err)
	}
	return key, nil
}

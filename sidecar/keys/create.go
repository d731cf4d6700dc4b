package keys

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// Create makes a key for a user. The secret in its result is nowhere else: the
// store has its SHA-256 and its masked form.
func (g *Registry) Create(ctx context.Context, actor, userID, name string, limits policy.Limits) (Created, error) {
	return g.CreateWith(ctx, actor, userID, name, limits, func(*store.Tx) error { return nil })
}

// CreateWith is Create with something else that is written in the same
// transaction, before the key; after an error of it no key is made, and
// neither is after one of the key what it wrote.
func (g *Registry) CreateWith(ctx context.Context, actor, userID, name string, limits policy.Limits, also func(*store.Tx) error) (Created, error) {
	if err := errors.Join(checkName(name), checkLimits(limits)); err != nil {
		return Created{}, err
	}
	now := g.now().UTC().Truncate(time.Millisecond)
	secret := api.NewKey()
	hash := sha256.Sum256([]byte(secret))
	key := Key{
		ID: api.NewKeyID(now), UserID: userID, Name: name, Masked: api.MaskKey(secret),
		State: policy.KeyActive, Limits: limits, Version: 1, CreatedAt: now,
	}
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, userID); err != nil {
			return err
		}
		if err := also(tx); err != nil {
			return err
		}
		var have int
		if err := tx.Row(`SELECT count(*) FROM keys WHERE user_id = ? AND state <> 'revoked'
				AND id NOT IN (SELECT key_id FROM studio_keys)`, userID).Scan(&have); err != nil {
			return err
		}
		if have >= MaxPerUser {
			return refuse(ErrTooMany, "user %s has %d keys that are not revoked, the most a user may have; revoke one first",
				userID, have)
		}
		if _, err := tx.Exec(`INSERT INTO keys (id, user_id, hash, masked, name, state,
				jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month, version, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			key.ID, userID, hex.EncodeToString(hash[:]), key.Masked, name, key.State,
			limits.JobsPerDay, limits.JobsPerMonth, limits.MaxConcurrentJobs, limits.TIKPerMonth,
			key.Version, now.UnixMilli()); err != nil {
			return err
		}
		if err := announce(tx, now, key.ID, key.State); err != nil {
			return err
		}
		return tx.Audit(now, store.AuditEntry{Actor: actor, Action: "key.create", Subject: key.ID,
			Detail: map[string]any{"userId": userID, "name": name, "masked": key.Masked, "limits": limits}})
	})
	if err != nil {
		return Created{}, fmt.Errorf("creating a key: %w", err)
	}
	return Created{Key: key, Secret: secret}, nil
}

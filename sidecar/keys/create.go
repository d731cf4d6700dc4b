package keys

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// Create makes a key for a user. The secret in its result is nowhere else: the
// store has its SHA-256 and its masked form.
func (g *Registry) Create(ctx context.Context, actor, userID, name string, limits policy.Limits) (Created, error) {
	return g.CreateWith(ctx, actor, Request{UserID: userID, Name: name, Limits: limits}, nil)
}

// CreateWith is Create with scopes and labels, and with something else, unless it is
// nil, that is written in the same
// transaction, before the key; after an error of it no key is made, and
// neither is after one of the key what it wrote.
func (g *Registry) CreateWith(ctx context.Context, actor string, r Request, also func(*store.Tx) error) (Created, error) {
	if len(r.Scopes) == 0 {
		r.Scopes = []string{policy.ScopeFull}
	}
	if err := errors.Join(checkName(r.Name), checkLimits(r.Limits), checkScopes(r.Scopes), checkLabels(r.Labels)); err != nil {
		return Created{}, err
	}
	now := g.now().UTC().Truncate(time.Millisecond)
	secret := mint.NewKey()
	hash := sha256.Sum256([]byte(secret))
	key := Key{
		ID: mint.NewKeyID(now), UserID: r.UserID, Name: r.Name, Masked: mint.MaskKey(secret),
		State: policy.KeyActive, Limits: r.Limits, Scopes: r.Scopes, Labels: r.Labels, Version: 1, CreatedAt: now,
	}
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, r.UserID); err != nil {
			return err
		}
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		var have int
		if err := tx.Row(`SELECT count(*) FROM keys WHERE user_id = ? AND state <> 'revoked'
				AND id NOT IN (SELECT key_id FROM studio_keys)`, r.UserID).Scan(&have); err != nil {
			return err
		}
		if have >= MaxPerUser {
			return refuse(ErrTooMany, "user %s has %d keys that are not revoked, the most a user may have; revoke one first",
				r.UserID, have)
		}
		if _, err := tx.Exec(`INSERT INTO keys (id, user_id, hash, masked, name, state,
				jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month, version, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			key.ID, key.UserID, hex.EncodeToString(hash[:]), key.Masked, key.Name, key.State,
			key.Limits.JobsPerDay, key.Limits.JobsPerMonth, key.Limits.MaxConcurrentJobs, key.Limits.TIKPerMonth,
			key.Version, now.UnixMilli()); err != nil {
			return err
		}
		if err := writeFacts(tx, key); err != nil {
			return err
		}
		if err := announce(tx, now, key.ID, key.State); err != nil {
			return err
		}
		return tx.Audit(now, store.AuditEntry{Actor: actor, Action: "key.create", Subject: key.ID,
			Detail: createdDetail(key)})
	})
	if err != nil {
		return Created{}, fmt.Errorf("creating a key: %w", err)
	}
	return Created{Key: key, Secret: secret}, nil
}

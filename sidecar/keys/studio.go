package keys

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// KindStudio is the Kind of the key that stands for its user's studio.
const KindStudio = "studio"

// What such a key is called at first, and what stands in place of its secret.
const (
	studioName   = "Studio"
	studioMasked = "no secret"
)

// Studio returns the id of the key under which a user's studio works, "" before CreateStudio.
func (g *Registry) Studio(ctx context.Context, userID string) (keyID string, err error) {
	err = g.store.View(ctx, func(r *store.Reader) error {
		keyID, err = findStudio(r, userID)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("finding the key of a studio: %w", err)
	}
	return keyID, nil
}

// CreateStudio makes that key, unless there is one, and returns its id. It has limits and
// states as any other, but no secret: it opens nothing. It is none of the MaxPerUser.
func (g *Registry) CreateStudio(ctx context.Context, userID string) (keyID string, err error) {
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, userID); err != nil {
			return err
		}
		if keyID, err = findStudio(&tx.Reader, userID); err != nil || keyID != "" {
			return err // another request was first
		}
		keyID, err = g.createStudio(tx, userID)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("making the key of a studio: %w", err)
	}
	return keyID, nil
}

func findStudio(r *store.Reader, userID string) (keyID string, err error) {
	err = r.Row("SELECT key_id FROM studio_keys WHERE user_id = ?", userID).Scan(&keyID)
	if errors.Is(err, store.ErrNoRows) {
		return "", nil
	}
	return keyID, err
}

func (g *Registry) createStudio(tx *store.Tx, userID string) (keyID string, err error) {
	now := g.now().UTC().Truncate(time.Millisecond)
	keyID = mint.NewKeyID(now)
	var hash [32]byte // of no secret that anybody knows
	rand.Read(hash[:])
	if _, err := tx.Exec("INSERT INTO studio_keys (user_id, key_id) VALUES (?, ?)", userID, keyID); err != nil {
		return "", err
	}
	if _, err := tx.Exec(`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?)`,
		keyID, userID, hex.EncodeToString(hash[:]), studioMasked, studioName, policy.KeyActive, now.UnixMilli()); err != nil {
		return "", err
	}
	if err := announce(tx, now, keyID, policy.KeyActive); err != nil {
		return "", err
	}
	return keyID, tx.Audit(now, store.AuditEntry{Actor: "studio", Action: "key.create", Subject: keyID,
		Detail: map[string]any{"userId": userID, "name": studioName, "kind": KindStudio}})
}

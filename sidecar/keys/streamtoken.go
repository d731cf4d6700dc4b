package keys

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// streamTokenLife is how long a stream token opens streams.
	streamTokenLife = 5 * time.Minute
	// maxStreamTokens is how many of them a key may have at once.
	maxStreamTokens = 1000
)

// GrantStream implements sidecar.Service.
func (g *Registry) GrantStream(ctx context.Context, hash mint.KeyHash, keyID, jobID string) (time.Time, error) {
	var expires time.Time
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(g.clock)
		if err != nil {
			return err
		}
		expires = now.Add(streamTokenLife).UTC().Truncate(time.Millisecond)
		if _, err := tx.Exec("DELETE FROM stream_tokens WHERE expires_at <= ?", now.UnixMilli()); err != nil {
			return err
		}
		var have, first int64
		if err := tx.Row("SELECT count(*), coalesce(min(expires_at), 0) FROM stream_tokens WHERE key_id = ? AND hash <> ?",
			keyID, hex.EncodeToString(hash[:])).Scan(&have, &first); err != nil {
			return err
		}
		if have >= maxStreamTokens {
			return answers.Unavailable("This API key has too many stream tokens. One token opens any number of streams of its job for five minutes.",
				time.UnixMilli(first).Sub(now), nil)
		}
		_, err = tx.Exec(`INSERT INTO stream_tokens (hash, key_id, job_id, expires_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (hash) DO NOTHING`, hex.EncodeToString(hash[:]), keyID, jobID, expires.UnixMilli())
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("granting a stream: %w", err)
	}
	return expires, nil
}

// StreamGrant implements sidecar.Service.
func (g *Registry) StreamGrant(ctx context.Context, hash mint.KeyHash) (sidecar.StreamGrant, error) {
	var grant sidecar.StreamGrant
	err := g.store.View(ctx, func(r *store.Reader) error {
		now, err := r.Now(g.clock)
		if err != nil {
			return err
		}
		return r.Row(`SELECT t.key_id, k.user_id, t.job_id FROM stream_tokens t JOIN keys k ON k.id = t.key_id
			WHERE t.hash = ? AND t.expires_at > ?`, hex.EncodeToString(hash[:]), now.UnixMilli()).
			Scan(&grant.KeyID, &grant.UserID, &grant.JobID)
	})
	if errors.Is(err, store.ErrNoRows) {
		return sidecar.StreamGrant{}, sidecar.ErrUnknownToken
	}
	if err != nil {
		return sidecar.StreamGrant{}, fmt.Errorf("looking up a stream token: %w", err)
	}
	return grant, nil
}

package projects

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// maxFormerKeys bounds the former keys of a game that go on: past it the oldest ends.
const maxFormerKeys = 9

// RotatePlayKey gives a published game another key. Those before go on for a time, or
// until they were to end before. It returns sidecar.ErrUnknownProject or
// sidecar.ErrNotPublished.
func (c *Catalog) RotatePlayKey(ctx context.Context, projectID string, keep time.Duration) (api.Publication, error) {
	key, now := mint.NewPlayKey(), c.now()
	var made api.Publication
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockProject(tx, projectID); err != nil {
			return err
		}
		if _, err := readPublication(&tx.Reader, projectID); err != nil {
			return err
		}
		ends := now.Add(keep).UnixMilli()
		for _, change := range []struct {
			query string
			args  []any
		}{
			{"UPDATE play_keys SET ends_at = ? WHERE project_id = ? AND (ends_at IS NULL OR ends_at > ?)", []any{ends, projectID, ends}},
			{"DELETE FROM play_keys WHERE project_id = ? AND ends_at <= ?", []any{projectID, now.UnixMilli()}},
			{`DELETE FROM play_keys WHERE project_id = ? AND id NOT IN
				(SELECT id FROM play_keys WHERE project_id = ? ORDER BY created_at DESC, id LIMIT ?)`, []any{projectID, projectID, maxFormerKeys}},
			{"INSERT INTO play_keys (id, project_id, created_at) VALUES (?, ?, ?)", []any{key, projectID, now.UnixMilli()}},
		} {
			if _, err := tx.Exec(change.query, change.args...); err != nil {
				return err
			}
		}
		var err error
		made, err = readPublication(&tx.Reader, projectID)
		return err
	})
	if err != nil {
		return api.Publication{}, fmt.Errorf("rotating the key of game %s: %w", projectID, err)
	}
	return made, nil
}

// PlayOptions are what is set for a game in the catalog's store.
type PlayOptions struct {
	Origins         []string
	TIKPerMonth     *api.TIK // nil: the default
	FormerKeysUntil *time.Time
}

// PlayOptions returns those of a game, or sidecar.ErrUnknownProject.
func (c *Catalog) PlayOptions(ctx context.Context, projectID string) (PlayOptions, error) {
	o, err := store.Read(ctx, c.store, func(r *store.Reader) (PlayOptions, error) { return readPlayOptions(r, projectID, c.now()) })
	if err != nil {
		return PlayOptions{}, fmt.Errorf("reading the settings of game %s: %w", projectID, err)
	}
	return o, nil
}

func readPlayOptions(r *store.Reader, projectID string, now time.Time) (o PlayOptions, err error) {
	var there int64
	var origins string
	var tik, until *int64
	err = r.Row(`SELECT (SELECT count(*) FROM projects WHERE id = ?),
			coalesce((SELECT origins FROM play_settings WHERE project_id = ?), '[]'),
			(SELECT tik_per_month FROM play_settings WHERE project_id = ?),
			(SELECT max(ends_at) FROM play_keys WHERE project_id = ? AND ends_at > ?)`,
		projectID, projectID, projectID, projectID, now.UnixMilli()).Scan(&there, &origins, &tik, &until)
	if err == nil && there == 0 {
		err = sidecar.ErrUnknownProject
	}
	if err == nil {
		err = json.Unmarshal([]byte(origins), &o.Origins)
	}
	if tik != nil {
		most := api.TIK(*tik)
		o.TIKPerMonth = &most
	}
	if until != nil {
		at := time.UnixMilli(*until).UTC()
		o.FormerKeysUntil = &at
	}
	return o, err
}

// SetPlayOptions changes those of a game, or returns sidecar.ErrUnknownProject.
func (c *Catalog) SetPlayOptions(ctx context.Context, projectID string, change api.PlayChange) error {
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockProject(tx, projectID); err != nil {
			return err
		}
		o, err := readPlayOptions(&tx.Reader, projectID, c.now())
		if err != nil {
			return err
		}
		if change.Origins != nil {
			o.Origins = *change.Origins
		}
		if change.TIKPerMonth != nil {
			o.TIKPerMonth = change.TIKPerMonth
		}
		origins, err := json.Marshal(o.Origins)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO play_settings (project_id, origins, tik_per_month, blocked_for) VALUES (?, ?, ?, '')
			ON CONFLICT (project_id) DO UPDATE SET origins = excluded.origins, tik_per_month = excluded.tik_per_month`,
			projectID, string(origins), (*int64)(o.TIKPerMonth))
		return err
	})
	if err != nil {
		return fmt.Errorf("changing the settings of game %s: %w", projectID, err)
	}
	return nil
}

package projects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Publish has players get the game of a completed job of the project, instead of
// another one if there is. The game has a key from its first publication on. It returns
// sidecar.ErrUnknownProject or sidecar.ErrUnknownJob, or an *answers.Error with status 409
// for a job that did not complete.
func (c *Catalog) Publish(ctx context.Context, projectID, jobID string) (api.Publication, error) {
	key, now := mint.NewPlayKey(), c.now().UnixMilli()
	var made api.Publication
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockRow("SELECT id FROM projects WHERE id = ?", projectID); err != nil && !errors.Is(err, store.ErrNoRows) {
			return err
		}
		if err := checkPublishable(tx, projectID, jobID); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO publications (project_id, job_id, published_at) VALUES (?, ?, ?)
			ON CONFLICT (project_id) DO UPDATE SET published_at =
				CASE WHEN publications.job_id = excluded.job_id THEN publications.published_at ELSE excluded.published_at END,
				job_id = excluded.job_id`, projectID, jobID, now); err != nil {
			return err
		}
		var keys int64
		if err := tx.Row("SELECT count(*) FROM play_keys WHERE project_id = ? AND ends_at IS NULL", projectID).Scan(&keys); err != nil {
			return err
		}
		if keys == 0 {
			if _, err := tx.Exec("INSERT INTO play_keys (id, project_id, created_at) VALUES (?, ?, ?)", key, projectID, now); err != nil {
				return err
			}
		}
		var err error
		made, err = readPublication(&tx.Reader, projectID)
		return err
	})
	if err != nil {
		return api.Publication{}, fmt.Errorf("publishing project %s: %w", projectID, err)
	}
	return made, nil
}

// checkPublishable returns why a job's game can't be published.
func checkPublishable(tx *store.Tx, projectID, jobID string) error {
	var there int64
	if err := tx.Row("SELECT count(*) FROM projects WHERE id = ?", projectID).Scan(&there); err != nil {
		return err
	}
	if there == 0 {
		return sidecar.ErrUnknownProject
	}
	// The lock keeps Expire from the job until there is a row that names it.
	err := tx.LockRow("SELECT id FROM jobs WHERE id = ?", jobID)
	var state, status string
	if err == nil {
		err = tx.Row("SELECT state, status FROM jobs WHERE id = ? AND project_id = ?", jobID, projectID).Scan(&state, &status)
	}
	if errors.Is(err, store.ErrNoRows) || err == nil && state == "released" {
		return sidecar.ErrUnknownJob
	}
	if err == nil && status != string(api.JobCompleted) {
		return &answers.Error{Status: http.StatusConflict, Message: "Only the game of a completed job can be published; this one is " + status + "."}
	}
	return err
}

// Unpublish takes a project's publication back. Its key stays for the next one.
func (c *Catalog) Unpublish(ctx context.Context, projectID string) error {
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("DELETE FROM publications WHERE project_id = ?", projectID)
		return err
	})
	if err != nil {
		return fmt.Errorf("taking the publication of project %s back: %w", projectID, err)
	}
	return nil
}

// Publication returns a project's publication, or sidecar.ErrNotPublished.
func (c *Catalog) Publication(ctx context.Context, projectID string) (api.Publication, error) {
	p, err := store.Read(ctx, c.store, func(r *store.Reader) (api.Publication, error) { return readPublication(r, projectID) })
	if err != nil {
		return api.Publication{}, fmt.Errorf("reading the publication of project %s: %w", projectID, err)
	}
	return p, nil
}

func readPublication(r *store.Reader, projectID string) (api.Publication, error) {
	p := api.Publication{GameID: projectID, Path: answers.PlayPath(projectID)}
	var at int64
	err := r.Row(`SELECT job_id, published_at, (SELECT k.id FROM play_keys k WHERE k.project_id = p.project_id AND k.ends_at IS NULL
			ORDER BY k.created_at DESC LIMIT 1), coalesce(s.blocked_for, '')
		FROM publications p LEFT JOIN play_settings s ON s.project_id = p.project_id WHERE p.project_id = ?`, projectID).
		Scan(&p.JobID, &at, &p.Key, &p.BlockedFor)
	if errors.Is(err, store.ErrNoRows) {
		return api.Publication{}, sidecar.ErrNotPublished
	}
	p.PublishedAt = time.UnixMilli(at).UTC()
	return p, err
}

// KeyGrant returns what a key reports for: nothing if it has ended, or is not that of a
// game which is published and not blocked.
func (c *Catalog) KeyGrant(ctx context.Context, projectID, key string) (sidecar.PlayGrant, error) {
	if !mint.ValidPlayKey(key) {
		return sidecar.PlayGrant{}, nil
	}
	g, err := store.Read(ctx, c.store, func(r *store.Reader) (g sidecar.PlayGrant, err error) {
		var origins string
		err = r.Row(`SELECT p.job_id, coalesce(s.origins, '[]') FROM play_keys k JOIN publications p ON p.project_id = k.project_id
				LEFT JOIN play_settings s ON s.project_id = p.project_id
			WHERE k.id = ? AND k.project_id = ? AND s.blocked_at IS NULL AND (k.ends_at IS NULL OR k.ends_at > ?)`, key, projectID, c.now().UnixMilli()).
			Scan(&g.JobID, &origins)
		if err != nil {
			return sidecar.PlayGrant{}, err
		}
		return g, json.Unmarshal([]byte(origins), &g.Origins)
	})
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return sidecar.PlayGrant{}, fmt.Errorf("looking up the key of project %s: %w", projectID, err)
	}
	return g, nil
}

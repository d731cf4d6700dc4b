package projects

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// What the audit log calls a block of a game and its end.
const (
	ActionBlockGame   = "game.block"
	ActionUnblockGame = "game.unblock"
)

// maxBlockedFor bounds, in bytes, why a game is blocked.
const maxBlockedFor = 500

// BlockGame keeps a game from players, published now or later, until UnblockGame. Its
// owner reads why. It returns sidecar.ErrUnknownProject, or an *answers.Error with status 400.
func (c *Catalog) BlockGame(ctx context.Context, actor, projectID, why string) error {
	if why == "" || len(why) > maxBlockedFor {
		return answers.BadRequest("why a game is blocked must have 1 to %d bytes.", maxBlockedFor)
	}
	return c.setBlock(ctx, projectID, store.AuditEntry{
		Actor: actor, Action: ActionBlockGame, Subject: projectID, Detail: map[string]any{"why": why},
	}, why)
}

// UnblockGame lets players have a game again that was blocked.
func (c *Catalog) UnblockGame(ctx context.Context, actor, projectID string) error {
	return c.setBlock(ctx, projectID, store.AuditEntry{Actor: actor, Action: ActionUnblockGame, Subject: projectID}, "")
}

func (c *Catalog) setBlock(ctx context.Context, projectID string, entry store.AuditEntry, why string) error {
	now := c.now()
	var at *int64
	if why != "" {
		ms := now.UnixMilli()
		at = &ms
	}
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockProject(tx, projectID); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO play_settings (project_id, origins, blocked_at, blocked_for) VALUES (?, '[]', ?, ?)
			ON CONFLICT (project_id) DO UPDATE SET blocked_at = excluded.blocked_at, blocked_for = excluded.blocked_for`,
			projectID, at, why); err != nil {
			return err
		}
		return tx.Audit(now, entry)
	})
	if err != nil {
		return fmt.Errorf("%s of %s: %w", entry.Action, projectID, err)
	}
	return nil
}

// lockProject keeps a project until the operation is committed, or returns
// sidecar.ErrUnknownProject.
func lockProject(tx *store.Tx, projectID string) error {
	if err := tx.Lock("SELECT id FROM projects WHERE id = ?", projectID); err != nil {
		return err
	}
	var there int64
	if err := tx.Row("SELECT count(*) FROM projects WHERE id = ?", projectID).Scan(&there); err != nil {
		return err
	}
	if there == 0 {
		return sidecar.ErrUnknownProject
	}
	return nil
}

// Reasons for which players report a game.
var reasons = map[string]bool{"broken": true, "harmful": true, "rights": true, "other": true}

// maxReports bounds the reports of a game in a day: past it no more are kept.
const maxReports = 1000

// Report notes that a player finds something wrong with a game: once a day each, and
// all who have no name as one. It returns an *answers.Error with status 400 for a reason
// that is none. What is older than 90 days is deleted.
func (c *Catalog) Report(ctx context.Context, projectID, player, reason string) error {
	if !reasons[reason] {
		return answers.BadRequest("the reason must be broken, harmful, rights or other.")
	}
	now := c.now()
	day := now.UTC().Unix() / (24 * 3600)
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec("DELETE FROM play_reports WHERE at < ?", now.Add(-reportsKept).UnixMilli()); err != nil {
			return err
		}
		var today int64
		if err := tx.Row("SELECT count(*) FROM play_reports WHERE project_id = ? AND day = ?", projectID, day).Scan(&today); err != nil {
			return err
		}
		if today >= maxReports {
			return nil
		}
		_, err := tx.Exec(`INSERT INTO play_reports (project_id, player, day, at, reason) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (project_id, player, day) DO NOTHING`, projectID, player, day, now.UnixMilli(), reason)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a report of game %s: %w", projectID, err)
	}
	return nil
}

// ForgetReports removes what a player reported of a game.
func (c *Catalog) ForgetReports(ctx context.Context, projectID, player string) error {
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("DELETE FROM play_reports WHERE project_id = ? AND player = ?", projectID, player)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting reports of game %s: %w", projectID, err)
	}
	return nil
}

// Reported is what players say of a game.
type Reported struct {
	ProjectID  string           `json:"projectId"`
	Name       string           `json:"name"`
	OwnerID    string           `json:"ownerId"`
	Reasons    map[string]int64 `json:"reasons"` // how many gave each
	LastAt     time.Time        `json:"lastAt"`
	BlockedFor string           `json:"blockedFor,omitempty"`
}

// reportsKept is how long reports are kept, and read.
const reportsKept = 90 * 24 * time.Hour

// Reports returns the games that players reported in the last 90 days, the latest first.
func (c *Catalog) Reports(ctx context.Context) ([]Reported, error) {
	games := []Reported{}
	at := make(map[string]int) // of a game, in games
	err := c.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var g Reported
			var reason string
			var n, last int64
			if err := scan(&g.ProjectID, &g.Name, &g.OwnerID, &g.BlockedFor, &reason, &n, &last); err != nil {
				return err
			}
			i, there := at[g.ProjectID]
			if !there {
				i = len(games)
				at[g.ProjectID] = i
				g.Reasons, g.LastAt = make(map[string]int64), time.UnixMilli(last).UTC()
				games = append(games, g)
			}
			games[i].Reasons[reason] = n
			return nil
		}, `SELECT p.id, p.name, p.owner_id, coalesce(s.blocked_for, ''), r.reason, count(*), max(r.at) AS last
			FROM play_reports r JOIN projects p ON p.id = r.project_id LEFT JOIN play_settings s ON s.project_id = p.id
			WHERE r.at >= ? GROUP BY p.id, p.name, p.owner_id, s.blocked_for, r.reason ORDER BY last DESC, p.id LIMIT 1000`,
			c.now().Add(-reportsKept).UnixMilli())
	})
	if err != nil {
		return nil, fmt.Errorf("reading what players report: %w", err)
	}
	return games, nil
}

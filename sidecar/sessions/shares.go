package sessions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of shares.
const (
	MaxShareTTL = 30 * 24 * time.Hour
	MaxShares   = 50 // of one user at a time
)

// Names of what the audit log has of shares.
const (
	ActionShare   = "project.share"
	ActionUnshare = "project.unshare"
)

// ErrShares: the user has as many shares as there may be.
var ErrShares = errors.New("the user has too many shares")

// sharePrefix marks the subject of a code that is a version of a project.
const sharePrefix = "share:"

// Share is a link by which whoever has it plays one version of a project's game until it
// expires. Its code is nowhere but in the link.
type Share struct {
	ID        string // names it to its user
	ProjectID string
	Rev       int // the version
	ExpiresAt time.Time
}

// Shared returns the project and the version that the subject of a preview is a share of,
// false for one that is none.
func Shared(subject string) (projectID string, rev int, ok bool) {
	rest, ok := strings.CutPrefix(subject, sharePrefix)
	if !ok {
		return "", 0, false
	}
	projectID, number, ok := strings.Cut(rest, ":")
	rev, err := strconv.Atoi(number)
	return projectID, rev, ok && err == nil
}

// NewShare makes a code that stands for a version of a project for ttl, at most MaxShareTTL,
// as one of a preview does for an hour.
func (r *Registry) NewShare(ctx context.Context, userID, projectID string, rev int, ttl time.Duration) (code string, err error) {
	code, hash := newSecret()
	expires := r.now().Add(min(ttl, MaxShareTTL)).UTC().Truncate(time.Second)
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockUser(userID); err != nil {
			return err
		}
		var have int
		if err := tx.Row("SELECT COUNT(*) FROM session_codes WHERE user_id = ? AND subject LIKE ? AND expires_at > ?",
			userID, sharePrefix+"%", r.now().UnixMilli()).Scan(&have); err != nil {
			return err
		}
		if have >= MaxShares {
			return ErrShares
		}
		if err := r.addCode(tx, hash, forPreview, userID, fmt.Sprintf("%s%s:%d", sharePrefix, projectID, rev), expires); err != nil {
			return err
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: Actor(userID), Action: ActionShare, Subject: projectID, Detail: map[string]any{
			"version": rev, "until": expires.Format(time.RFC3339),
		}})
	})
	if err != nil {
		return "", fmt.Errorf("making a share: %w", err)
	}
	return code, nil
}

// Shares returns what a user shares of a project, those that end first before others.
func (r *Registry) Shares(ctx context.Context, userID, projectID string) (list []Share, err error) {
	err = r.store.View(ctx, func(v *store.Reader) error {
		return v.Each(func(scan store.Scan) error {
			var id, subject string
			var expires int64
			err := scan(&id, &subject, &expires)
			if of, rev, ok := Shared(subject); ok && of == projectID {
				list = append(list, Share{id, of, rev, time.UnixMilli(expires).UTC()})
			}
			return err
		}, "SELECT hash, subject, expires_at FROM session_codes WHERE user_id = ? AND subject LIKE ? AND expires_at > ? ORDER BY expires_at, hash",
			userID, sharePrefix+"%", r.now().UnixMilli())
	})
	if err != nil {
		return nil, fmt.Errorf("listing shares: %w", err)
	}
	return list, nil
}

// EndShare voids a share that a user made of a project. One that is none is over already.
func (r *Registry) EndShare(ctx context.Context, userID, projectID, id string) error {
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec("DELETE FROM session_codes WHERE hash = ? AND user_id = ? AND subject LIKE ?", id, userID, sharePrefix+projectID+":%")
		if err != nil || n == 0 {
			return err
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: Actor(userID), Action: ActionUnshare, Subject: projectID})
	})
	if err != nil {
		return fmt.Errorf("ending a share: %w", err)
	}
	return nil
}

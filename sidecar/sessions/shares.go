package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of shares.
const (
	MaxShareTTL = 30 * 24 * time.Hour
	MaxShares   = 50 // of one user at a time
)

// ErrShares: the user has as many shares as there may be.
var ErrShares = errors.New("the user has too many shares")

// Share is a link by which whoever has it sees a subject until it expires. Its code is
// nowhere but in the link.
type Share struct {
	ID        string // names it to its user
	Subject   string
	ExpiresAt time.Time
}

// NewShare makes a code that stands for a subject for ttl, at most MaxShareTTL, as one of a
// preview does for an hour.
func (r *Registry) NewShare(ctx context.Context, userID, subject string, ttl time.Duration) (code string, s Share, err error) {
	code, hash := newSecret()
	s = Share{hash, subject, r.now().Add(min(ttl, MaxShareTTL)).UTC().Truncate(time.Second)}
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockUser(userID); err != nil {
			return err
		}
		var have int
		if err := tx.Row("SELECT COUNT(*) FROM session_codes WHERE user_id = ? AND subject LIKE ? AND expires_at > ?",
			userID, sharePrefix(subject)+"%", r.now().UnixMilli()).Scan(&have); err != nil {
			return err
		}
		if have >= MaxShares {
			return ErrShares
		}
		if err := r.addCode(tx, hash, forPreview, userID, subject, s.ExpiresAt); err != nil {
			return err
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: userID, Action: "console.share", Subject: subject})
	})
	if err != nil {
		return "", Share{}, fmt.Errorf("making a share: %w", err)
	}
	return code, s, nil
}

// sharePrefix is what the subjects of all shares begin with.
func sharePrefix(subject string) string {
	kind, _, _ := strings.Cut(subject, ":")
	return kind + ":"
}

// Shares returns a user's shares of which the subject begins so, those that end first
// before others.
func (r *Registry) Shares(ctx context.Context, userID, prefix string) (list []Share, err error) {
	err = r.store.View(ctx, func(v *store.Reader) error {
		return v.Each(func(scan store.Scan) error {
			var s Share
			var expires int64
			err := scan(&s.ID, &s.Subject, &expires)
			if strings.HasPrefix(s.Subject, prefix) {
				s.ExpiresAt = time.UnixMilli(expires).UTC()
				list = append(list, s)
			}
			return err
		}, "SELECT hash, subject, expires_at FROM session_codes WHERE user_id = ? AND purpose = 'preview' AND expires_at > ? ORDER BY expires_at, hash",
			userID, r.now().UnixMilli())
	})
	if err != nil {
		return nil, fmt.Errorf("listing shares: %w", err)
	}
	return list, nil
}

// EndShare voids a share of a user, or returns ErrCode for none.
func (r *Registry) EndShare(ctx context.Context, userID, id string) error {
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec("DELETE FROM session_codes WHERE hash = ? AND user_id = ? AND purpose = 'preview'", id, userID)
		if err == nil && n == 0 {
			return ErrCode
		}
		if err != nil {
			return err
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: userID, Action: "console.unshare", Subject: id})
	})
	if err != nil {
		return fmt.Errorf("ending a share: %w", err)
	}
	return nil
}

package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// How long codes are good for.
const (
	LinkTTL    = 15 * time.Minute
	PreviewTTL = time.Hour
	formTTL    = 24 * time.Hour
)

// Purposes of codes.
const (
	forLogin   = "login"
	forPreview = "preview"
	forForm    = "form"
)

// ErrCode: the code is unknown, has run out or was used before.
var ErrCode = errors.New("the code is not valid any more")

// Link is a code that signs a user in once.
type Link struct {
	Code      string    `json:"code"`
	UserID    string    `json:"userId"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewLink makes a code that signs a user in once within LinkTTL. A user who is
// not there is store.ErrUnknownUser.
func (r *Registry) NewLink(ctx context.Context, actor, userID string) (Link, error) {
	code, hash := newSecret()
	expires := r.now().Add(LinkTTL).UTC().Truncate(time.Second)
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockUser(userID); err != nil {
			return err
		}
		if err := r.addCode(tx, hash, forLogin, userID, "", expires); err != nil {
			return err
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: actor, Action: "console.login_link", Subject: userID})
	})
	if err != nil {
		return Link{}, fmt.Errorf("making a login link: %w", err)
	}
	return Link{Code: code, UserID: userID, ExpiresAt: expires}, nil
}

// LinkedUser returns whom a link's code would sign in, or ErrCode. It writes
// nothing: guessing costs no more than a look.
func (r *Registry) LinkedUser(ctx context.Context, code string) (userID string, err error) {
	err = r.store.View(ctx, func(v *store.Reader) error {
		return v.Row("SELECT user_id FROM session_codes WHERE hash = ? AND purpose = 'login' AND used_at IS NULL AND expires_at > ?",
			digest(code), r.now().UnixMilli()).Scan(&userID)
	})
	if errors.Is(err, store.ErrNoRows) {
		return "", ErrCode
	}
	if err != nil {
		return "", fmt.Errorf("looking at a login link: %w", err)
	}
	return userID, nil
}

// SignIn uses up a link's code and returns the secret of the session that it
// opened, or ErrCode.
func (r *Registry) SignIn(ctx context.Context, code string) (secret string, err error) {
	secret, hash := newSecret()
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		var userID string
		now := r.now().UnixMilli()
		err := tx.Row(`UPDATE session_codes SET used_at = ?
			WHERE hash = ? AND purpose = 'login' AND used_at IS NULL AND expires_at > ? RETURNING user_id`,
			now, digest(code), now).Scan(&userID)
		if errors.Is(err, store.ErrNoRows) {
			return ErrCode
		}
		if err != nil {
			return err
		}
		return r.begin(tx, userID, ViaLink, hash)
	})
	if err != nil {
		return "", fmt.Errorf("signing in: %w", err)
	}
	return secret, nil
}

// NewPreview makes a code with which the files of one job can be read within
// PreviewTTL, whoever holds it.
func (r *Registry) NewPreview(ctx context.Context, userID, jobID string) (code string, err error) {
	code, hash := newSecret()
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		return r.addCode(tx, hash, forPreview, userID, jobID, r.now().Add(PreviewTTL))
	})
	if err != nil {
		return "", fmt.Errorf("making a preview: %w", err)
	}
	return code, nil
}

// Preview returns the job whose files a code stands for and the user who made it, or
// ErrCode.
func (r *Registry) Preview(ctx context.Context, code string) (jobID, userID string, err error) {
	err = r.store.View(ctx, func(v *store.Reader) error {
		return v.Row("SELECT subject, user_id FROM session_codes WHERE hash = ? AND purpose = 'preview' AND expires_at > ?",
			digest(code), r.now().UnixMilli()).Scan(&jobID, &userID)
	})
	if errors.Is(err, store.ErrNoRows) {
		return "", "", ErrCode
	}
	if err != nil {
		return "", "", fmt.Errorf("finding a preview: %w", err)
	}
	return jobID, userID, nil
}

// keptBefore is how long before their end previews are kept for longer.
const keptBefore = PreviewTTL / 2

// KeepPreviews has the codes that a user made for a subject, and that are about to run out,
// be good for PreviewTTL from now.
func (r *Registry) KeepPreviews(ctx context.Context, userID, subject string) error {
	const these = "user_id = ? AND subject = ? AND purpose = 'preview' AND expires_at > ? AND expires_at < ?"
	now := r.now()
	args := []any{userID, subject, now.UnixMilli(), now.Add(keptBefore).UnixMilli()}
	var ending int
	err := r.store.View(ctx, func(v *store.Reader) error {
		return v.Row("SELECT COUNT(*) FROM session_codes WHERE "+these, args...).Scan(&ending)
	})
	if err == nil && ending > 0 {
		err = r.store.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec("UPDATE session_codes SET expires_at = ? WHERE "+these, append([]any{now.Add(PreviewTTL).UnixMilli()}, args...)...)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("keeping previews: %w", err)
	}
	return nil
}

// NewForm returns the code of a form. It is in no store until it is used.
func NewForm() string {
	code, _ := newSecret()
	return code
}

// UseForm notes that a form was sent, or returns ErrCode when it was before. It
// does so in the transaction of what the form asks for: neither is there without
// the other.
func (r *Registry) UseForm(tx *store.Tx, userID, code string) error {
	if err := r.addCode(tx, digest(userID+"\n"+code), forForm, userID, "", r.now().Add(formTTL)); err != nil {
		return fmt.Errorf("taking a form: %w", err)
	}
	return nil
}

// addCode notes a code, or returns ErrCode for one that is noted already. It
// removes those that have run out, so that the table doesn't grow for ever:
// previews and forms are made without anyone's signing in.
func (r *Registry) addCode(tx *store.Tx, hash, purpose, userID, subject string, expires time.Time) error {
	if _, err := tx.Exec("DELETE FROM session_codes WHERE expires_at < ?", r.now().UnixMilli()); err != nil {
		return err
	}
	n, err := tx.Exec(`INSERT INTO session_codes (hash, purpose, user_id, subject, expires_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (hash) DO NOTHING`, hash, purpose, userID, subject, expires.UnixMilli())
	if err == nil && n == 0 {
		return ErrCode
	}
	return err
}

package keys

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

// Credit is what a user is credited with.
type Credit struct {
	TIK api.TIK `json:"tik"` // more than 0
	// Reference is the caller's own name for the payment, among all users; ""
	// for none. A credit with a reference counts once, so that a request without an
	// answer can be repeated.
	Reference string `json:"reference,omitempty"`
}

// Credited is a user after a credit.
type Credited struct {
	User
	// Repeated: the reference is that of an earlier credit of this amount to
	// this user, and nothing has changed.
	Repeated bool `json:"repeated,omitempty"`
}

var referencePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:+#/-]{0,119}$`)

// TopUp credits a user. A reference that stands for another credit is refused
// with ErrReference.
func (g *Registry) TopUp(ctx context.Context, actor, userID string, c Credit) (Credited, error) {
	if err := checkAmount(c.TIK); err != nil {
		return Credited{}, err
	}
	if c.TIK == 0 {
		return Credited{}, refuse(ErrInvalid, "the amount can't be 0 TIK: want more")
	}
	if c.Reference != "" && !referencePattern.MatchString(c.Reference) {
		return Credited{}, refuse(ErrInvalid, "the reference %q is not acceptable: want 1 to 120 letters, digits or ._@:+#/-, beginning with a letter or digit", c.Reference)
	}
	now := g.now()
	var credited Credited
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, userID); err != nil {
			return err
		}
		repeated, err := repeats(tx, now, userID, c)
		if err == nil && !repeated {
			err = writeCredit(tx, now, actor, userID, c)
		}
		if err != nil {
			return err
		}
		user, err := readUser(&tx.Reader, userID)
		credited = Credited{User: user, Repeated: repeated}
		return err
	})
	if err != nil {
		return Credited{}, fmt.Errorf("topping up: %w", err)
	}
	return credited, nil
}

// writeCredit credits a user and says so in the audit log.
func writeCredit(tx *store.Tx, now time.Time, actor, userID string, c Credit) error {
	if err := credit(tx, now, userID, c.TIK); err != nil {
		return err
	}
	detail := map[string]any{"tik": c.TIK}
	if c.Reference != "" {
		detail["reference"] = c.Reference
	}
	return tx.Audit(now, store.AuditEntry{Actor: actor, Action: "user.topup", Subject: userID, Detail: detail})
}

// repeats records a credit's reference, or reports that it is recorded already.
func repeats(tx *store.Tx, now time.Time, userID string, c Credit) (bool, error) {
	if c.Reference == "" {
		return false, nil
	}
	n, err := tx.Exec("INSERT INTO credits (reference, user_id, tik, at) VALUES (?, ?, ?, ?) ON CONFLICT (reference) DO NOTHING",
		c.Reference, userID, int64(c.TIK), now.UnixMilli())
	if n > 0 || err != nil {
		return false, err
	}
	var before api.TIK
	var whom string
	if err := tx.Row("SELECT user_id, tik FROM credits WHERE reference = ?", c.Reference).Scan(&whom, &before); err != nil {
		return false, err
	}
	if whom != userID || before != c.TIK {
		return false, refuse(ErrReference, "the reference %s was used for another credit: %s TIK to %s", c.Reference, before, whom)
	}
	return true, nil
}

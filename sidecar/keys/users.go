package keys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// maxBalance bounds a balance; with ledger.MaxAmount it keeps every sum within
// 64 bits.
const maxBalance = 1000 * ledger.MaxAmount

// User is a user and what the user has.
type User struct {
	ID        string    `json:"id"`
	State     string    `json:"state"` // policy.UserActive or policy.UserSuspended
	Balance   api.TIK   `json:"balance"`
	Keys      int64     `json:"keys"` // not revoked
	Projects  int64     `json:"projects"`
	CreatedAt time.Time `json:"createdAt"`
	// Attributes are facts for the policy that admins set; nil without any.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// CreateUser makes a user with a first credit of tik, which may be 0.
func (g *Registry) CreateUser(ctx context.Context, actor, userID string, tik api.TIK) (User, error) {
	if err := errors.Join(checkUserID(userID), checkAmount(tik)); err != nil {
		return User{}, err
	}
	now := g.now()
	var user User
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec("INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
			userID, now.UnixMilli())
		if err != nil {
			return err
		}
		if n == 0 {
			return refuse(ErrUserExists, "user %s exists already", userID)
		}
		if _, err := tx.Exec("INSERT INTO balances (user_id, tik) VALUES (?, 0)", userID); err != nil {
			return err
		}
		if err := credit(tx, now, userID, tik); err != nil {
			return err
		}
		if err := tx.Audit(now, store.AuditEntry{Actor: actor, Action: "user.create", Subject: userID, Detail: map[string]any{"tik": tik}}); err != nil {
			return err
		}
		user, err = readUser(&tx.Reader, userID)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("creating the user: %w", err)
	}
	return user, nil
}

// credit moves a balance up, with the entry that says so.
func credit(tx *store.Tx, now time.Time, userID string, tik api.TIK) error {
	if tik == 0 {
		return nil
	}
	var balance api.TIK
	err := tx.Row("UPDATE balances SET tik = tik + ? WHERE user_id = ? RETURNING tik", int64(tik), userID).Scan(&balance)
	if err != nil {
		return err
	}
	if balance > maxBalance {
		return refuse(ErrInvalid, "the amount can't be %s TIK: the balance of %s would be more than %s", tik, userID, maxBalance)
	}
	seq, err := tx.NextSeq(store.LogCredit)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO tik_entries (project_id, feed_id, seq, user_id, delta, units, at)
		VALUES ('', 'credit', ?, ?, ?, '[]', ?)`, seq, userID, int64(tik), now.UnixMilli())
	return err
}

// User returns a user, or ErrUnknownUser.
func (g *Registry) User(ctx context.Context, userID string) (User, error) {
	return store.Read(ctx, g.store, func(r *store.Reader) (User, error) { return readUser(r, userID) })
}

func readUser(r *store.Reader, userID string) (User, error) {
	u := User{ID: userID}
	var created int64
	err := r.Row(`SELECT u.created_at, u.attributes, b.tik, `+ledger.UserState("u.id")+`,
			(SELECT count(*) FROM keys k WHERE k.user_id = u.id AND k.state <> 'revoked' AND k.id NOT IN (SELECT key_id FROM studio_keys)),
			(SELECT count(*) FROM projects p WHERE p.owner_id = u.id)
		FROM users u JOIN balances b ON b.user_id = u.id WHERE u.id = ?`, userID).
		Scan(&created, ledger.Attributes(&u.Attributes), &u.Balance, &u.State, &u.Keys, &u.Projects)
	if errors.Is(err, store.ErrNoRows) {
		return User{}, unknownUser(userID)
	}
	if err != nil {
		return User{}, fmt.Errorf("reading user %s: %w", userID, err)
	}
	u.CreatedAt = time.UnixMilli(created).UTC()
	return u, nil
}

package store

import (
	"errors"
	"fmt"
)

// ErrUnknownUser is returned, wrapped, for a user that is not there.
var ErrUnknownUser = errors.New("no such user")

// MaxKeys is how many keys a user may have that are not revoked. Triggers of the schema
// have the same number.
const MaxKeys = 20

// LockUser makes operations on what a user has wait for each other until this
// one is committed, so that what it counts stays true. A plain read would not
// do so on a store with several writers.
func (t *Tx) LockUser(userID string) error {
	n, err := t.Exec("UPDATE users SET created_at = created_at WHERE id = ?", userID)
	if err == nil && n == 0 || errors.Is(err, ErrNoRows) {
		err = fmt.Errorf("user %s: %w", userID, ErrUnknownUser)
	}
	return err
}

package keys

import (
	"errors"
	"fmt"

	"github.com/svc-games/svc/sidecar/store"
)

// Kinds of refusals, besides sidecar.ErrUnknownKey.
var (
	ErrUnknownUser = store.ErrUnknownUser
	ErrUserExists  = errors.New("the user exists already")
	ErrTooMany     = errors.New("too many keys")
	// ErrState: the state of the key or user doesn't allow the change.
	ErrState = errors.New("not possible in this state")
	// ErrVersion: the key was changed since the caller read it.
	ErrVersion = errors.New("the key was changed meanwhile")
	// ErrReference: a reference stands for another credit.
	ErrReference = errors.New("the reference is taken")
	// ErrInvalid: a name, an id, a limit or an amount is not acceptable.
	ErrInvalid = errors.New("invalid")
)

// Refusal says why a change was not made. Nothing was written.
type Refusal struct {
	// Kind is one of the errors above or sidecar.ErrUnknownKey.
	Kind error
	// Message says it in one sentence, to whoever asked.
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the kind.
func (r *Refusal) Unwrap() error { return r.Kind }

func refuse(kind error, format string, args ...any) error {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func unknownUser(userID string) error { return refuse(ErrUnknownUser, "there is no user %s", userID) }

// lockUser is store.Tx.LockUser with a refusal for a user who is not there.
func lockUser(tx *store.Tx, userID string) error {
	err := tx.LockUser(userID)
	if errors.Is(err, ErrUnknownUser) {
		return unknownUser(userID)
	}
	return err
}

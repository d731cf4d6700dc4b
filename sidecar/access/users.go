package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// DecideUser is Decide for a user who has no key.
func (d *Door) DecideUser(ctx context.Context, user policy.User, projectID string, action policy.Action) (policy.Decision, error) {
	return d.DecideAbout(ctx, user, policy.Target{}, projectID, action)
}

// DecideOnKey is DecideUser for an action on a key. Where that is not the user's own, or is
// not there, the action is that on others' keys, and own is false.
func (d *Door) DecideOnKey(ctx context.Context, user policy.User, keyID string, action policy.Action) (decision policy.Decision, own bool, err error) {
	var ownerID string
	err = d.store.View(ctx, func(r *store.Reader) (err error) {
		ownerID, err = ownerOf(r, keyID)
		return err
	})
	if err != nil {
		return policy.Decision{}, false, fmt.Errorf("looking for the user of key %s: %w", keyID, err)
	}
	if own = ownerID != "" && ownerID == user.ID; !own {
		action = onOthers[action]
	}
	decision, err = d.DecideAbout(ctx, user, policy.Target{KeyID: keyID}, "", action)
	return decision, own, err
}

// onOthers are the actions on others' keys, by those on one's own.
var onOthers = map[policy.Action]policy.Action{
	policy.ActionReadKeys: policy.ActionReadOthersKeys, policy.ActionChangeKey: policy.ActionChangeOthersKeys,
}

// DecideAbout is DecideUser for an action about another user or a key, whose facts are added
// to what is given of them.
func (d *Door) DecideAbout(ctx context.Context, user policy.User, about policy.Target, projectID string, action policy.Action) (policy.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, userTimeout)
	defer cancel()
	in := policy.Input{Action: action, User: &user}
	err := d.store.View(ctx, func(r *store.Reader) (err error) {
		if projectID != "" {
			if in.Project, err = readProject(r, projectID); err != nil {
				return err
			}
		}
		if user.Via == policy.ViaConsole {
			if err := readUser(r, user.ID, &user.State, &user.Attributes); err != nil {
				return err
			}
		}
		in.Target, err = readTarget(r, about)
		return err
	})
	if err != nil {
		return policy.Decision{}, fmt.Errorf("gathering the facts for %s: %w", action, err)
	}
	return d.decide(ctx, in, projectID)
}

// readTarget returns the facts about a target, nil for none.
func readTarget(r *store.Reader, of policy.Target) (*policy.Target, error) {
	if of.KeyID != "" {
		ownerID, err := ownerOf(r, of.KeyID)
		if err != nil {
			return nil, fmt.Errorf("reading the key: %w", err)
		}
		of.UserID = cmp.Or(ownerID, of.UserID)
	}
	if of.UserID == "" && of.KeyID == "" {
		return nil, nil
	}
	return &of, readUser(r, of.UserID, &of.State, &of.Attributes)
}

// ownerOf returns the user of a key, "" where there is no such key.
func ownerOf(r *store.Reader, keyID string) (userID string, err error) {
	err = r.Row("SELECT user_id FROM keys WHERE id = ?", keyID).Scan(&userID)
	if errors.Is(err, store.ErrNoRows) {
		return "", nil
	}
	return userID, err
}

// readUser reads the state and the attributes of a user. One without an account has none.
func readUser(r *store.Reader, userID string, state *string, attributes *map[string]string) error {
	err := r.Row("SELECT "+ledger.UserState("users.id")+", attributes FROM users WHERE id = ?", userID).
		Scan(state, ledger.Attributes(attributes))
	if err == nil || errors.Is(err, store.ErrNoRows) {
		return nil
	}
	return fmt.Errorf("reading the user: %w", err)
}

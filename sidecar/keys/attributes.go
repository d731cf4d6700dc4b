package keys

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of a user's attributes.
const (
	maxAttributes     = 32
	maxAttributeValue = 512   // characters
	maxAttributesText = 65536 // of the JSON text, as in the schema
)

// SetAttributes sets attributes of a user, facts for the policy; nil removes one, others
// stay. Once it returns, no decision rests on what they were.
func (g *Registry) SetAttributes(ctx context.Context, actor, userID string, set map[string]*string) (User, error) {
	if err := checkAttributes(set); err != nil {
		return User{}, err
	}
	now := g.now()
	var user User
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockUser(tx, userID); err != nil {
			return err
		}
		var err error
		if user, err = readUser(&tx.Reader, userID); err != nil {
			return err
		}
		before := user.Attributes
		if user.Attributes, err = withAttributes(before, set); err != nil {
			return err
		}
		if err := writeAttributes(tx, user); err != nil {
			return err
		}
		return tx.Audit(now, store.AuditEntry{
			Actor: actor, Action: "user.attributes", Subject: userID, Detail: map[string]any{"from": before, "to": user.Attributes},
		})
	})
	if err != nil {
		return User{}, fmt.Errorf("setting attributes of a user: %w", err)
	}
	g.hub.Notify()
	return user, nil
}

// writeAttributes writes those of a user and voids all decisions that are cached.
func writeAttributes(tx *store.Tx, user User) error {
	text, err := json.Marshal(user.Attributes)
	if err != nil {
		return err
	}
	if utf8.RuneCount(text) > maxAttributesText {
		return refuse(ErrInvalid, "the user's attributes have more than %d characters in all", maxAttributesText)
	}
	if _, err := tx.Exec("UPDATE users SET attributes = ? WHERE id = ?", string(text), user.ID); err != nil {
		return err
	}
	_, err = tx.NextSeq(store.LogAttributes)
	return err
}

func checkAttributes(set map[string]*string) error {
	if len(set) == 0 {
		return refuse(ErrInvalid, "there is no attribute to set")
	}
	for name, value := range set {
		text := ""
		if value != nil {
			text = *value
		}
		if err := checkText("attribute", name, text, maxAttributeValue); err != nil {
			return err
		}
	}
	return nil
}

// withAttributes returns attributes after a change.
func withAttributes(before map[string]string, set map[string]*string) (map[string]string, error) {
	after := map[string]string{}
	maps.Copy(after, before)
	for name, value := range set {
		if value == nil {
			delete(after, name)
		} else {
			after[name] = *value
		}
	}
	if len(after) > maxAttributes {
		return nil, refuse(ErrInvalid, "a user can't have %d attributes: want at most %d", len(after), maxAttributes)
	}
	return after, nil
}

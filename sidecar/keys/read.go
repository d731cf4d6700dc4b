package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

const columns = "id, user_id, name, masked, state, version, created_at, last_used_at, " +
	"EXISTS (SELECT 1 FROM studio_keys s WHERE s.key_id = keys.id), " + ledger.FactColumns + ", " + ledger.LimitColumns

// Key returns a key, or sidecar.ErrUnknownKey.
func (g *Registry) Key(ctx context.Context, keyID string) (Key, error) {
	return store.Read(ctx, g.store, func(r *store.Reader) (Key, error) { return readKey(r, keyID) })
}

// Keys lists the keys of a user or, with "", of all, oldest first.
func (g *Registry) Keys(ctx context.Context, userID string) ([]Key, error) {
	query, args := keysQuery(userID)
	list, err := store.Read(ctx, g.store, func(r *store.Reader) ([]Key, error) { return store.All(r, scanKey, query, args...) })
	if err != nil {
		return nil, fmt.Errorf("listing keys: %w", err)
	}
	return list, nil
}

// keysQuery names the user only if there is one: a condition that holds for all
// would have all keys read.
func keysQuery(userID string) (query string, args []any) {
	query = "SELECT " + columns + " FROM keys"
	if userID != "" {
		query, args = query+" WHERE user_id = ?", []any{userID}
	}
	return query + " ORDER BY user_id, created_at, id", args
}

// Usage is what a key used of its limits.
type Usage struct {
	KeyID  string `json:"id"`
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Masked string `json:"masked"`
	State  string `json:"state"`
	policy.Usage
	TIKSpent      api.TIK       `json:"tikSpent"` // since the key was made
	Limits        policy.Limits `json:"limits"`
	DayResetsAt   time.Time     `json:"dayResetsAt"`
	MonthResetsAt time.Time     `json:"monthResetsAt"`
}

// Usage returns what a key used today, this month and in all.
func (g *Registry) Usage(ctx context.Context, keyID string) (Usage, error) {
	return store.Read(ctx, g.store, func(r *store.Reader) (Usage, error) {
		key, err := readKey(r, keyID)
		if err != nil {
			return Usage{}, err
		}
		now, err := r.Now(g.clock)
		if err != nil {
			return Usage{}, err
		}
		used, err := ledger.ReadUsage(r, keyID, now)
		if err != nil {
			return Usage{}, err
		}
		spent, err := ledger.ReadSpent(r, keyID)
		return Usage{
			KeyID: key.ID, UserID: key.UserID, Name: key.Name, Masked: key.Masked, State: key.State,
			Usage: used.Usage, TIKSpent: spent, Limits: key.Limits,
			DayResetsAt: answers.DayEnd(used.At), MonthResetsAt: answers.MonthEnd(used.At),
		}, err
	})
}

func readKey(r *store.Reader, keyID string) (Key, error) {
	key, err := scanKey(r.Row("SELECT "+columns+" FROM keys WHERE id = ?", keyID).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return Key{}, refuse(sidecar.ErrUnknownKey, "there is no key %s", keyID)
	}
	if err != nil {
		return Key{}, fmt.Errorf("reading key %s: %w", keyID, err)
	}
	return key, nil
}

func scanKey(scan store.Scan) (Key, error) {
	var key Key
	var created int64
	var used *int64
	var studio bool
	err := scan(slices.Concat([]any{&key.ID, &key.UserID, &key.Name, &key.Masked, &key.State, &key.Version, &created, &used, &studio},
		ledger.FactFields(&key.Scopes, &key.Labels), ledger.LimitFields(&key.Limits))...)
	if err != nil {
		return Key{}, err
	}
	if studio {
		key.Kind = KindStudio
	}
	key.CreatedAt = time.UnixMilli(created).UTC()
	if used != nil {
		at := time.UnixMilli(*used).UTC()
		key.LastUsedAt = &at
	}
	return key, nil
}

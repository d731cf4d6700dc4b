// Package keys manages users and their API keys: who there is, what a key may
// do, how much it used. Every change is one transaction with its entry in the
// audit log, and with one in the revocation log where a key's state changes.
package keys

import (
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/push"
	"github.com/svc-games/svc/sidecar/store"
)

// MaxPerUser is how many keys a user may have that are not revoked.
const MaxPerUser = store.MaxKeys

// Key is what is known of an API key. The secret is not.
type Key struct {
	ID     string        `json:"id"`
	Kind   string        `json:"kind,omitempty"` // KindStudio, or none
	UserID string        `json:"userId"`
	Name   string        `json:"name"`
	Masked string        `json:"masked"`
	State  string        `json:"state"`
	Limits policy.Limits `json:"limits"`
	// Scopes and Labels are facts for the policy, as the key was made with.
	Scopes    []string          `json:"scopes"`
	Labels    map[string]string `json:"labels,omitempty"`
	Version   int64             `json:"version"` // raised by each change
	CreatedAt time.Time         `json:"createdAt"`
	// LastUsedAt is to the minute; nil for a key that was never used.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
}

// Request asks for a key.
type Request struct {
	UserID string        `json:"userId"`
	Name   string        `json:"name"`
	Limits policy.Limits `json:"limits"`
	// Scopes are what the key is for; none is policy.ScopeFull.
	Scopes []string `json:"scopes,omitempty"`
	// Labels are texts for rules of one's own.
	Labels map[string]string `json:"labels,omitempty"`
}

// Created is a new key with its secret, which is shown this once.
type Created struct {
	Key
	Secret string `json:"secret"`
}

// Registry makes and changes users and keys. What it refuses comes as a
// *Refusal, perhaps wrapped. It is safe for concurrent use.
type Registry struct {
	store *store.Store
	clock func() time.Time // of days and months; nil: the store's
	now   func() time.Time // of entries in the logs
	hub   push.Hub
}

// New returns the registry of a store. A nil clock means the store's own for
// days and months, as it does for the ledger, and time.Now for all else.
func New(s *store.Store, clock func() time.Time) *Registry {
	g := &Registry{store: s, clock: clock, now: clock}
	if clock == nil {
		g.now = time.Now
	}
	return g
}

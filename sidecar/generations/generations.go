// Package generations keeps policies in the store, for the sidecars that have it in common.
package generations

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/store"
)

// gone is how long a sidecar is listed that reports nothing.
const gone = 30 * time.Second

// Generations are the policies of a store.
type Generations struct{ store *store.Store }

// New returns those of s.
func New(s *store.Store) *Generations { return &Generations{s} }

// Version implements activation.Shared.
func (g *Generations) Version(ctx context.Context) (int64, error) {
	version, _, err := g.load(ctx, "SELECT version, '' FROM policy_state WHERE one = 1")
	return version, err
}

// Load implements activation.Shared.
func (g *Generations) Load(ctx context.Context) (version int64, state []byte, err error) {
	return g.load(ctx, "SELECT version, state FROM policy_state WHERE one = 1")
}

func (g *Generations) load(ctx context.Context, query string) (version int64, state []byte, err error) {
	var text string
	err = g.store.View(ctx, func(r *store.Reader) error {
		err := r.Row(query).Scan(&version, &text)
		if errors.Is(err, store.ErrNoRows) {
			version, text, err = 0, "", nil
		}
		return err
	})
	return version, []byte(text), err
}

// Save implements activation.Shared.
func (g *Generations) Save(ctx context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error {
	return g.store.Update(ctx, func(tx *store.Tx) error {
		if err := replace(tx, version, string(state)); err != nil {
			return err
		}
		for digest, archive := range archives {
			_, err := tx.Exec("INSERT INTO policy_archives (digest, archive) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
				digest, base64.StdEncoding.EncodeToString(archive))
			if err != nil {
				return fmt.Errorf("keeping a policy: %w", err)
			}
		}
		kept, err := store.All(&tx.Reader, store.Column[string], "SELECT digest FROM policy_archives")
		if err != nil {
			return err
		}
		for _, digest := range kept {
			if slices.Contains(keep, digest) {
				continue
			}
			if _, err := tx.Exec("DELETE FROM policy_archives WHERE digest = ?", digest); err != nil {
				return fmt.Errorf("forgetting a policy: %w", err)
			}
		}
		return nil
	})
}

// replace writes the state that follows version.
func replace(tx *store.Tx, version int64, state string) error {
	n, err := tx.Exec("UPDATE policy_state SET version = version + 1, state = ? WHERE one = 1 AND version = ?", state, version)
	if err == nil && n == 0 && version == 0 {
		n, err = tx.Exec("INSERT INTO policy_state (one, version, state) VALUES (1, 1, ?) ON CONFLICT (one) DO NOTHING", state)
	}
	if err != nil {
		return fmt.Errorf("writing the list of policies: %w", err)
	}
	if n == 0 {
		return activation.ErrMeanwhile
	}
	return nil
}

// Archive implements activation.Shared.
func (g *Generations) Archive(ctx context.Context, digest string) ([]byte, error) {
	var text string
	err := g.store.View(ctx, func(r *store.Reader) error {
		return r.Row("SELECT archive FROM policy_archives WHERE digest = ?", digest).Scan(&text)
	})
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", digest, err)
	}
	return base64.StdEncoding.DecodeString(text)
}

// Report implements activation.Shared.
func (g *Generations) Report(ctx context.Context, name, revision string) (all []activation.Sidecar, err error) {
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(nil)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM policy_sidecars WHERE seen_at < ?", now.Add(-gone).UnixMilli()); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO policy_sidecars (name, revision, seen_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at`, name, revision, now.UnixMilli())
		if err != nil {
			return err
		}
		all, err = store.All(&tx.Reader, sidecarOf, "SELECT name, revision, seen_at FROM policy_sidecars ORDER BY name")
		return err
	})
	if err != nil {
		err = fmt.Errorf("reporting the policy: %w", err)
	}
	return all, err
}

// Leave implements activation.Shared.
func (g *Generations) Leave(ctx context.Context, name string) error {
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("DELETE FROM policy_sidecars WHERE name = ?", name)
		return err
	})
	if err != nil {
		err = fmt.Errorf("leaving the sidecars of the store: %w", err)
	}
	return err
}

func sidecarOf(scan store.Scan) (activation.Sidecar, error) {
	var s activation.Sidecar
	var at int64
	err := scan(&s.Name, &s.Revision, &at)
	s.SeenAt = time.UnixMilli(at).UTC()
	return s, err
}

// Interface guards
var _ activation.Shared = (*Generations)(nil)

package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// ErrNoEngines is returned when no installation has the engines.
var ErrNoEngines = errors.New("no data directory has the engines")

// Claim gives an installation the engines of all projects, unless another one has
// them, and returns the owner. A claim does not expire: an installation that is
// down still has the volumes.
func (l *Ledger) Claim(ctx context.Context, who contract.Installation) (contract.Installation, error) {
	var owner contract.Installation
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		// The data directory may have moved since.
		if _, err := tx.Exec(`INSERT INTO engine_owner (one, installation, place, since) VALUES (1, ?, ?, ?)
			ON CONFLICT (one) DO UPDATE SET place = excluded.place WHERE engine_owner.installation = excluded.installation`,
			who.ID, who.Place, now.UnixMilli()); err != nil {
			return err
		}
		owner, err = readOwner(&tx.Reader)
		return err
	})
	if err != nil {
		return contract.Installation{}, fmt.Errorf("claiming the engines for %s: %w", who.Place, err)
	}
	return owner, nil
}

// EnginesOwner returns the installation that has the engines, or ErrNoEngines.
func (l *Ledger) EnginesOwner(ctx context.Context) (contract.Installation, error) {
	return store.Read(ctx, l.store, readOwner)
}

// ReleaseEngines lets the next installation that asks have the engines, and
// returns which one had them, or ErrNoEngines. The jobs whose volumes that one
// took along end as engine_lost.
func (l *Ledger) ReleaseEngines(ctx context.Context, actor string) (contract.Installation, error) {
	var owner contract.Installation
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		if owner, err = readOwner(&tx.Reader); err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM engine_owner"); err != nil {
			return err
		}
		return tx.Audit(now, store.AuditEntry{
			Actor: actor, Action: "engines.release", Subject: owner.ID, Detail: map[string]any{"place": owner.Place},
		})
	})
	return owner, err
}

func readOwner(r *store.Reader) (contract.Installation, error) {
	var owner contract.Installation
	var since int64
	err := r.Row("SELECT installation, place, since FROM engine_owner").Scan(&owner.ID, &owner.Place, &since)
	if errors.Is(err, store.ErrNoRows) {
		return contract.Installation{}, ErrNoEngines
	}
	owner.Since = time.UnixMilli(since).UTC()
	return owner, err
}

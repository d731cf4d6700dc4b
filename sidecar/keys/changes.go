package keys

import (
	"context"
	"fmt"
	"strconv"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/push"
	"github.com/svc-games/svc/sidecar/store"
)

// maxChanges bounds one page of the revocation log.
const maxChanges = 1000

// Changes returns what the revocation log holds above after. See
// sidecar.Service.
func (g *Registry) Changes(ctx context.Context, after int64) (sidecar.Changes, error) {
	var changes sidecar.Changes
	err := g.store.View(ctx, func(r *store.Reader) error {
		// The basis comes first: what is decided by a later one is asked for again.
		var attributes int64
		if err := r.Row("SELECT seq FROM heads WHERE log = ?", store.LogAttributes).Scan(&attributes); err != nil {
			return err
		}
		changes.Basis = strconv.FormatInt(attributes, 10)
		if after < 0 {
			return r.Row("SELECT coalesce(max(seq), 0) FROM revlog").Scan(&changes.Seq)
		}
		changes.Seq = after
		return r.Each(func(scan store.Scan) error {
			var keyID string
			if err := scan(&changes.Seq, &keyID); err != nil {
				return err
			}
			changes.KeyIDs = append(changes.KeyIDs, keyID)
			return nil
		}, "SELECT seq, key_id FROM revlog WHERE seq > ? ORDER BY seq LIMIT ?", after, maxChanges)
	})
	if err != nil {
		return sidecar.Changes{}, fmt.Errorf("reading the revocation log: %w", err)
	}
	changes.More = len(changes.KeyIDs) == maxChanges
	return changes, nil
}

// Hint has all watchers look: something that cached answers rest on changed.
func (g *Registry) Hint() { g.hub.Notify() }

// Hub is what hints; it can be connected to those of other sidecars.
func (g *Registry) Hub() *push.Hub { return &g.hub }

// Watch hints when the revocation log has grown. See sidecar.Service.
func (g *Registry) Watch() (hints <-chan struct{}, stop func()) { return g.hub.Watch() }

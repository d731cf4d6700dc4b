package keys_test

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func TestRevocationLogNamesEachKeyThatChangedItsStateInOrder(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		one, two := create(t, g, "one"), create(t, g, "two")
		start, err := g.Changes(t.Context(), -1)
		if err != nil || len(start.KeyIDs) != 0 {
			t.Fatalf("the end of the log is %+v, %v", start, err)
		}
		hints, stop := g.Watch()
		defer stop()
		for _, change := range []func() error{
			func() error { _, err := g.Disable(t.Context(), "uid:7", two.ID); return err },
			func() error { _, err := g.Rename(t.Context(), "uid:7", one.ID, "other"); return err },
			func() error {
				_, err := g.SetLimits(t.Context(), "uid:7", one.ID, 2, policy.Limits{})
				return err
			},
			func() error { _, err := g.Revoke(t.Context(), "uid:7", one.ID); return err },
			func() error { _, err := g.Enable(t.Context(), "uid:7", two.ID); return err },
		} {
			if err := change(); err != nil {
				t.Fatal(err)
			}
		}
		if len(hints) != 1 {
			t.Error("the watcher got no hint")
		}
		changes, err := g.Changes(t.Context(), start.Seq)
		if err != nil || !slices.Equal(changes.KeyIDs, []string{two.ID, one.ID, two.ID}) || changes.More {
			t.Errorf("changes are %+v, %v", changes, err)
		}
		if rest, err := g.Changes(t.Context(), changes.Seq); err != nil || len(rest.KeyIDs) != 0 || rest.Seq != changes.Seq {
			t.Errorf("after the last change: %+v, %v", rest, err)
		}
	})
}

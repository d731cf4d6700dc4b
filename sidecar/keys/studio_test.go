package keys_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func TestStudioHasOneKeyThatIsNoneOfTheTwenty(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		for i := range keys.MaxPerUser {
			if _, err := g.Create(t.Context(), "test", "alice", fmt.Sprint(i), policy.Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		if before, err := g.Studio(t.Context(), "alice"); before != "" || err != nil {
			t.Errorf("before it is made: %q, %v", before, err)
		}
		found := make([]string, 4)
		var wait sync.WaitGroup
		for i := range found {
			wait.Go(func() {
				var err error
				if found[i], err = g.CreateStudio(t.Context(), "alice"); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if again, err := g.Studio(t.Context(), "alice"); again != found[0] || err != nil {
			t.Errorf("asked for again: %q, %v", again, err)
		}
		if len(slices.Compact(slices.Clone(found))) != 1 {
			t.Errorf("keys %q", found)
		}
		key, err := g.Key(t.Context(), found[0])
		if err != nil || key.Kind != keys.KindStudio || key.State != policy.KeyActive {
			t.Fatalf("%+v, %v", key, err)
		}
		if _, err := g.Create(t.Context(), "test", "alice", "one more", policy.Limits{}); !errors.Is(err, keys.ErrTooMany) {
			t.Errorf("a key beyond the twenty: %v", err)
		}
		if _, err := g.Revoke(t.Context(), "test", key.ID); !errors.Is(err, keys.ErrState) {
			t.Errorf("revoking it: %v", err)
		}
		if _, err := g.Disable(t.Context(), "test", key.ID); err != nil {
			t.Errorf("disabling it: %v", err)
		}
		if user, err := g.User(t.Context(), "alice"); err != nil || user.Keys != keys.MaxPerUser {
			t.Errorf("%+v, %v", user, err)
		}
		if _, err := g.CreateStudio(t.Context(), "nobody"); !errors.Is(err, keys.ErrUnknownUser) {
			t.Errorf("for nobody: %v", err)
		}
	})
}

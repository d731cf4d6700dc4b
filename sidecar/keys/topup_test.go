package keys_test

import (
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

// TestCreditAnswersTheBalanceThatItMade: what it answers is of its own
// transaction. Whatever is read after the commit can fail, and say of a credit
// that was made that it was not.
func TestCreditAnswersTheBalanceThatItMade(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		before, err := g.User(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		const credits = 32
		var mu sync.Mutex
		balances := make(map[api.TIK]bool)
		var wg sync.WaitGroup
		for range credits {
			wg.Go(func() {
				after, err := g.TopUp(t.Context(), "uid:7", "alice", keys.Credit{TIK: 1})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				balances[after.Balance-before.Balance] = true
			})
		}
		wg.Wait()
		for n := range api.TIK(credits) {
			if !balances[n+1] {
				t.Errorf("no credit was answered with %d more", n+1)
			}
		}
	})
}

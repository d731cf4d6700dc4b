package cache

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
)

// TestWhatWasRefusedIsNotAllowedByWhatWaitedToBeStored: another node revoked the key, and
// nobody has said so yet. What was allowed just before is stored after the refusal.
func TestWhatWasRefusedIsNotAllowedByWhatWaitedToBeStored(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // entries are stored when nothing else runs
	for name, look := range map[string]func(context.Context, *Cache, int) (bool, error){
		"key": func(ctx context.Context, c *Cache, n int) (bool, error) {
			id, err := c.Authenticate(ctx, mint.KeyHash{byte(n)})
			return id.Decision.Allow, err
		},
		"decision": func(ctx context.Context, c *Cache, n int) (bool, error) {
			d, err := c.Decide(ctx, "k", fmt.Sprint(n), policy.ActionStatus)
			return d.Allow, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, refused := newOrigin(), 0
			bubble(t, o, Options{}, func(t *testing.T, c *Cache) {
				for n := range 100 {
					o.set(func(o *origin) { o.state = policy.KeyActive })
					if allowed, err := look(t.Context(), c, n); !allowed || err != nil {
						t.Fatalf("while it is active: %v, %v", allowed, err)
					}
					o.set(func(o *origin) { o.state = policy.KeyRevoked })
					if allowed, err := look(t.Context(), c, n); err != nil {
						t.Fatal(err)
					} else if allowed {
						continue // it was stored already
					}
					refused++
					c.entries.Wait()
					if allowed, err := look(t.Context(), c, n); allowed || err != nil {
						t.Fatalf("number %d is allowed again: %v, %v", n, allowed, err)
					}
				}
			})
			if refused == 0 {
				t.Error("none was asked for again before it was stored")
			}
		})
	}
}

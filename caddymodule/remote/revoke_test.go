package remote_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/cache"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// TestRevokedKeyIsDeadBehindTheConnectionToo looks keys up all the time, so
// that look-ups are under way while their key is revoked: none of their answers
// may be used later than the lease allows.
func TestRevokedKeyIsDeadBehindTheConnectionToo(t *testing.T) {
	const revocations, readers = 25, 6
	svc := sidecartest.NewService(t)
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "s.sock")},
		Handler: wire.Handler(svc, zap.NewNop()),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := wire.New(peer.UnixClient(server.Addr().Name), wire.Options{DecisionTimeout: time.Minute})
	defer client.Close()
	cached, err := cache.New(client, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cached.Close()
	if _, err := svc.Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	if err := cached.AwaitFresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range revocations {
		key, err := svc.Keys().Create(t.Context(), "test", "alice", "key", policy.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		hash, _ := mint.ParseKey(key.Secret)
		var mu sync.Mutex // guards dead
		var dead time.Time
		done := make(chan struct{})
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					began := time.Now()
					who, err := cached.Authenticate(t.Context(), hash)
					mu.Lock()
					late := !dead.IsZero() && began.Sub(dead) > cache.DefaultLease
					mu.Unlock()
					if err == nil && who.Decision.Allow && late {
						t.Errorf("allowed by a look-up that began %s after the revocation", began.Sub(dead))
						return
					}
				}
			})
		}
		if _, err := svc.Keys().Revoke(t.Context(), "test", key.ID); err != nil {
			t.Error(err)
		}
		mu.Lock()
		dead = time.Now()
		mu.Unlock()
		wait.Until(t, "the key is refused", func() bool {
			who, err := cached.Authenticate(t.Context(), hash)
			return err == nil && !who.Decision.Allow
		})
		close(done)
		wg.Wait()
	}
}

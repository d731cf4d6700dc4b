package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/cache"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// revocations measures how long after its revocation returned a key is let through
// for reads on another node.
func (r *report) revocations() {
	t := r.t
	s := r.section("Revocation", "Two sidecars on one PostgreSQL; from the return of the revocation on one node to the first refused read behind the other's cache.",
		"between the nodes", "p50", "p99", "longest", "budget", "")
	server := rig.StartRedis(t)
	for _, way := range []struct{ name, url string }{{"Redis", server.URL}, {"nothing: the log is polled", ""}} {
		url := postgrestest.URL(t)
		a, _ := openNode(t, url, way.url)
		b, readers := openNode(t, url, way.url)
		if way.url != "" {
			wait.Until(t, "both are connected", func() bool { return a.Push() == "connected" && b.Push() == "connected" })
		}
		if _, err := a.Keys().CreateUser(t.Context(), "bench", "alice", 0); err != nil {
			t.Fatal(err)
		}
		var took []time.Duration
		for range r.n(100) {
			took = append(took, revocation(t, a, readers))
		}
		p99, longest := quantile(took, 0.99), quantile(took, 1)
		shares, budget := []float64{share(longest, cache.DefaultLease)}, "never above 500 ms"
		if way.url != "" {
			shares, budget = append(shares, share(p99, 50*time.Millisecond)), "p99 under 50 ms, "+budget
		}
		s.row(way.name, millis(quantile(took, 0.5)), millis(p99), millis(longest), budget, verdict(s.kept(way.name, shares...)))
	}
}

func openNode(t *testing.T, url, redis string) (*service.Service, *cache.Cache) {
	t.Helper()
	s, err := service.Open(t.Context(), service.Options{Store: url, Redis: redis, Policy: policytest.Embedded(t), DecisionTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cache.New(s, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

func revocation(t *testing.T, on *service.Service, readers *cache.Cache) time.Duration {
	t.Helper()
	key, err := on.Keys().Create(t.Context(), "bench", "alice", "key", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	hash, ok := mint.ParseKey(key.Secret)
	if !ok {
		t.Fatal("a new key is none")
	}
	allowed := func() bool {
		id, err := readers.Authenticate(t.Context(), hash)
		return err == nil && id.Decision.Allow
	}
	wait.Until(t, "the key is let through", allowed)
	if _, err := on.Keys().Revoke(t.Context(), "bench", key.ID); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for allowed() {
		<-tick.C
		if time.Since(revoked) > wait.Patience {
			t.Fatal(fmt.Errorf("the key %s is never refused", key.ID))
		}
	}
	return time.Since(revoked)
}

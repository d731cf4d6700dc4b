package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/cache"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// bound is how long a revoked key may be let through for reads.
const bound = cache.DefaultLease

// node is a gateway's cache with its sidecar beside it.
type node struct {
	*service.Service
	cache *cache.Cache
}

// newNodes opens two nodes on one PostgreSQL, with a Redis between them unless
// its URL is "".
func newNodes(t *testing.T, redis string, o cache.Options) (a, b *node) {
	t.Helper()
	url := postgrestest.URL(t)
	nodes := make([]*node, 2)
	for i := range nodes {
		s, err := service.Open(t.Context(), service.Options{
			Store: url, Redis: redis, Policy: policytest.Embedded(t), DecisionTimeout: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := cache.New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		nodes[i] = &node{s, c}
	}
	if _, err := nodes[0].Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	return nodes[0], nodes[1]
}

func (n *node) connected() bool { return n.Push() == "connected" }

// newKey makes a key that both nodes have in their caches.
func newKey(t *testing.T, nodes ...*node) (keys.Created, mint.KeyHash) {
	t.Helper()
	key, err := nodes[0].Keys().Create(t.Context(), "test", "alice", "key", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	hash, ok := mint.ParseKey(key.Secret)
	if !ok {
		t.Fatal("the new key is none")
	}
	for _, n := range nodes {
		wait.Until(t, "the key is let through", func() bool { return n.allows(t.Context(), hash) })
	}
	return key, hash
}

// allows reports whether a read with the key is let through.
func (n *node) allows(ctx context.Context, hash mint.KeyHash) bool {
	id, err := n.cache.Authenticate(ctx, hash)
	return err == nil && id.Decision.Allow
}

// revoke revokes a key on one node and returns when the other refused it. A read
// that begins after the bound and is let through is an error. Before, a node that
// has not heard of others for too long lets nothing through, and may again.
func revoke(ctx context.Context, on, other *node, key keys.Created, hash mint.KeyHash) (time.Duration, error) {
	if _, err := on.Keys().Revoke(ctx, "test", key.ID); err != nil {
		return 0, err
	}
	revoked := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		<-tick.C
		begin := time.Since(revoked)
		id, err := other.cache.Authenticate(ctx, hash)
		switch {
		case ctx.Err() != nil:
			return begin, ctx.Err()
		case err == nil && !id.Decision.Allow:
			return begin, nil
		case err == nil && begin > bound:
			return begin, errors.New("a read that began after the bound was let through")
		}
	}
}

// revocations revokes n keys, one after the other, while others keep reading, and
// says how long it took on the other node.
func revocations(t *testing.T, a, b *node, n int) {
	t.Helper()
	var took []time.Duration
	for range n {
		key, hash := newKey(t, a, b)
		ctx, cancel := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for ctx.Err() == nil {
					<-tick.C
					b.allows(ctx, hash) // a slow fill must not bring the key back
				}
			})
		}
		d, err := revoke(ctx, a, b, key, hash)
		cancel()
		readers.Wait()
		if err != nil {
			t.Errorf("after %s: %v", d, err)
		}
		took = append(took, d)
		for range 100 {
			if b.allows(t.Context(), hash) {
				t.Fatal("the key came back")
			}
		}
	}
	slices.Sort(took)
	t.Logf("%d revocations: median %s, longest %s", n, took[n/2], took[n-1])
}

func TestRevocationOnOneNodeIsPushedToTheOther(t *testing.T) {
	t.Parallel()
	server := rig.StartRedis(t)
	// Nobody polls: what arrives was pushed.
	a, b := newNodes(t, server.URL, cache.Options{Poll: time.Hour, Lease: time.Hour})
	wait.Until(t, "both are connected", func() bool { return a.connected() && b.connected() })
	for range 10 {
		key, hash := newKey(t, a, b)
		if _, err := a.Keys().Revoke(t.Context(), "test", key.ID); err != nil {
			t.Fatal(err)
		}
		wait.Until(t, "the other node refuses the key", func() bool { return !b.allows(t.Context(), hash) })
	}
}

func TestRevocationReachesTheOtherNodeInTimeWithoutAPushChannel(t *testing.T) {
	t.Parallel()
	a, b := newNodes(t, "", cache.Options{})
	revocations(t, a, b, 10)
}

func TestRevocationReachesTheOtherNodeInTimeWithThePushChannelCut(t *testing.T) {
	t.Parallel()
	server := rig.StartRedis(t)
	a, b := newNodes(t, server.URL, cache.Options{})
	wait.Until(t, "both are connected", func() bool { return a.connected() && b.connected() })
	server.Stop()
	revocations(t, a, b, 10)
	server.Start()
	wait.Until(t, "both are connected again", func() bool { return a.connected() && b.connected() })
	revocations(t, a, b, 3)
}

func TestNoSubmissionIsAdmittedOnAnyNodeOnceRevocationReturned(t *testing.T) {
	t.Parallel()
	a, b := newNodes(t, "", cache.Options{})
	project, err := a.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		key, _ := newKey(t, a, b)
		revoked := make(chan struct{})
		var wg sync.WaitGroup
		for _, n := range []*node{a, b, a, b} {
			wg.Go(func() {
				for after := false; !after; {
					select {
					case <-revoked:
						after = true // this one begins after the revocation returned
					default:
					}
					jobID := mint.NewJobID(time.Now())
					_, err := n.Reserve(t.Context(), sidecar.Reservation{JobID: jobID, KeyID: key.ID, ProjectID: project.ID})
					if after && err == nil {
						t.Error("a submission was admitted with a revoked key")
					}
					if err == nil {
						err = n.Release(t.Context(), jobID)
						if err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		if _, err := a.Keys().Revoke(t.Context(), "test", key.ID); err != nil {
			t.Error(err)
		}
		close(revoked)
		wg.Wait()
	}
}

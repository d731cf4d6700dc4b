package caddymodule_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// naming notes for which requests a sidecar is asked.
type naming struct {
	*fakeBackend

	mu  sync.Mutex
	ids []string
}

func (n *naming) note(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids = append(n.ids, peer.RequestOf(ctx).ID)
}

func (n *naming) Authenticate(ctx context.Context, hash api.KeyHash) (sidecar.Identity, error) {
	n.note(ctx)
	return n.fakeBackend.Authenticate(ctx, hash)
}

func (n *naming) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	n.note(ctx)
	return n.fakeBackend.Decide(ctx, keyID, projectID, action)
}

func TestTheSidecarDecidesForTheRequestThatTheClientKnows(t *testing.T) {
	d := newFakeBackend(t)
	n := &naming{fakeBackend: d}
	d.asked = n
	key := d.key("key_1", "")
	g := d.gateway(t, wholeAPI)
	got := g.send("GET", "/v1/projects", key, "")
	id := got.Header.Get("X-Request-Id")
	n.mu.Lock()
	defer n.mu.Unlock()
	if id == "" || !slices.Equal(n.ids, []string{id, id}) {
		t.Errorf("answered as request %q, the sidecar was asked for %q", id, n.ids)
	}
}

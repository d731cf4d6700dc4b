package caddymodule_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// naming notes for which requests a sidecar is asked, and says what the policy reads.
type naming struct {
	*fakeBackend
	reads policy.Reads

	mu       sync.Mutex
	requests []peer.Request
}

func (n *naming) note(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests = append(n.requests, peer.RequestOf(ctx))
}

// noted returns the requests so far, and forgets them.
func (n *naming) noted() []peer.Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.requests
	n.requests = nil
	return all
}

func (n *naming) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	n.note(ctx)
	identity, err := n.fakeBackend.Authenticate(ctx, hash)
	identity.Decision.Reads = n.reads
	return identity, err
}

func (n *naming) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	n.note(ctx)
	d, err := n.fakeBackend.Decide(ctx, keyID, projectID, action)
	d.Reads = n.reads
	return d, err
}

func TestTheSidecarDecidesForTheRequestThatTheClientKnows(t *testing.T) {
	d := newFakeBackend(t)
	n := &naming{fakeBackend: d}
	d.asked = n
	key := d.key("key_1", "")
	g := d.gateway(t, wholeAPI)
	got := g.send("GET", "/v1/projects", key, "")
	want := peer.Request{ID: got.Header.Get("X-Request-Id"), IP: "127.0.0.1", Method: "GET", UserAgent: "Go-http-client/1.1"}
	if seen := n.noted(); want.ID == "" || !slices.Equal(seen, []peer.Request{want, want}) {
		t.Errorf("answered as %+v, the sidecar was asked for %+v", want, seen)
	}
}

// TestADecisionByTheAddressIsThatOfTheClientBehindAProxy has requests arrive through a
// trusted proxy, and by one that is not.
func TestADecisionByTheAddressIsThatOfTheClientBehindAProxy(t *testing.T) {
	d := newFakeBackend(t)
	n := &naming{fakeBackend: d, reads: policy.ReadsIP}
	d.asked = n
	key := d.key("key_1", "")
	g := d.gateway(t, wholeAPI)
	from := func(address string) []peer.Request {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.addr+"/v1/projects", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key)
		req.Header.Set("X-Forwarded-For", address)
		if got := g.do(req); got.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", address, got.StatusCode, got.body)
		}
		return n.noted()
	}
	if seen := from("192.0.2.1"); len(seen) != 2 || seen[0].IP != "127.0.0.1" {
		t.Errorf("a client that names an address itself: %+v", seen)
	}
	g.load(globals+"\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t}\n", wholeAPI)
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		if seen := from(address); len(seen) != 2 || seen[0].IP != address || seen[1].IP != address {
			t.Errorf("%s: the sidecar was asked for %+v", address, seen)
		}
	}
}

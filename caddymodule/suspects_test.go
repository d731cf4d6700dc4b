package caddymodule

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
)

// TestFewStrangersOfASuspectAddressAreLookedUpAtOnce: the store must not pay for
// guesses, and nobody is told that a key is bad which was not looked up.
func TestFewStrangersOfASuspectAddressAreLookedUpAtOnce(t *testing.T) {
	now := time.Unix(1, 0)
	r := &rates{
		failures: rate.NewLocal(10, func() time.Time { return now }),
		known:    rate.NewKnown[api.KeyHash](10),
	}
	limit := &RateLimit{PerSecond: 1, Burst: 5}
	look := func(address string, key byte) (func(), *api.Error) {
		req := httptest.NewRequest("GET", "/v1/projects", nil)
		req = req.WithContext(context.WithValue(req.Context(), caddyhttp.VarsCtxKey, map[string]any{caddyhttp.ClientIPVarKey: address}))
		return r.suspect(req, address, api.KeyHash{key}, limit)
	}
	const bad, other = "192.0.2.1", "192.0.2.2"
	r.learn(t.Context(), bad, api.KeyHash{1}, true, limit)
	for range 2 * limit.Burst {
		done, refused := look(bad, 2)
		if refused != nil {
			t.Fatalf("a look-up by itself is refused: %v", refused)
		}
		done()
		r.learn(t.Context(), bad, api.KeyHash{2}, false, limit)
	}
	var last func()
	for i := range lookUpsOfAddress {
		done, refused := look(bad, 3)
		if refused != nil {
			t.Fatalf("look-up %d is refused: %v", i, refused)
		}
		last = done
	}
	if _, refused := look(bad, 4); refused == nil || refused.Status != 503 || refused.RetryAfter != time.Second {
		t.Errorf("one more gets %v", refused)
	}
	if _, refused := look(bad, 1); refused != nil {
		t.Errorf("a key that was seen before gets %v", refused)
	}
	if _, refused := look(other, 4); refused != nil {
		t.Errorf("a key of another address gets %v", refused)
	}
	last()
	if _, refused := look(bad, 4); refused != nil {
		t.Errorf("once there is room it gets %v", refused)
	}
}

package gateway

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
)

// TestFewStrangersOfASuspectAddressAreLookedUpAtOnce: the store must not pay for
// guesses, and nobody is told that a key is bad which was not looked up.
func TestFewStrangersOfASuspectAddressAreLookedUpAtOnce(t *testing.T) {
	now := func() time.Time { return time.Unix(1, 0) }
	r := NewRates(rate.NewLocal[string](10, now), now)
	limit := rate.PerSecond(1, 5)
	look := func(client netip.Addr, key byte) (func(), *answers.Error) {
		return r.suspect(client, mint.KeyHash{key}, limit)
	}
	// Of IPv6 the /64 that one client usually has.
	bad, neighbour, other := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2"), netip.MustParseAddr("192.0.2.2")
	r.learn(t.Context(), bad, mint.KeyHash{1}, true, limit)
	for range 2 * limit.Burst {
		done, refused := look(bad, 2)
		if refused != nil {
			t.Fatalf("a look-up by itself is refused: %v", refused)
		}
		done()
		r.learn(t.Context(), bad, mint.KeyHash{2}, false, limit)
	}
	var last func()
	for i := range lookUpsOfAddress {
		done, refused := look(bad, 3)
		if refused != nil {
			t.Fatalf("look-up %d is refused: %v", i, refused)
		}
		last = done
	}
	var over *RateError
	if _, refused := look(neighbour, 4); refused == nil || refused.Status != 503 || refused.RetryAfter != time.Second ||
		!errors.As(refused, &over) || over.Kind != RateOfAddress {
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

func TestClientsAreCountedByTheAddressOneClientHas(t *testing.T) {
	tests := map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
		"2001:db8:1:2::9":      "2001:db8:1:2::",
		"fe80::1%eth0":         "fe80::",
	}
	for sent, want := range tests {
		if got := clientOf(netip.MustParseAddr(sent)).String(); got != want {
			t.Errorf("%q is counted as %q, want %q", sent, got, want)
		}
	}
	if clientOf(netip.Addr{}).IsValid() {
		t.Error("a client without an address got one")
	}
}

package gateway

import (
	"net/netip"
	"testing"
)

func TestPlacesAreBoundedInAllAndByAddress(t *testing.T) {
	var open Places
	bounds := PlaceBounds{All: 4, PerAddress: 2}
	proxy := netip.MustParseAddr("192.0.2.9")
	var leave []func()
	for i, step := range []struct{ from, full string }{
		{"192.0.2.1", ""}, {"::ffff:192.0.2.1", ""}, {"192.0.2.1", RoomAddress}, {"2001:db8::1", ""}, {"2001:db8::2", ""}, {"192.0.2.2", RoomAll},
	} {
		from := netip.MustParseAddr(step.from)
		left, full := open.Enter(from, bounds, func() bool { return from == proxy })
		if full != step.full {
			t.Errorf("%d: connection from %s finds full %q, want %q", i, from, full, step.full)
		}
		if full == "" {
			leave = append(leave, left)
		}
	}
	for _, left := range leave {
		left()
		left() // a connection is closed more than once
	}
	if open.Len() != 0 || len(open.of) != 0 {
		t.Errorf("%d are open, of %v", open.Len(), open.of)
	}
	for range bounds.All {
		if _, full := open.Enter(proxy, bounds, func() bool { return true }); full != "" {
			t.Errorf("a connection of a trusted proxy finds full %q", full)
		}
	}
	if _, full := open.Enter(proxy, bounds, func() bool { return true }); full != RoomAll {
		t.Errorf("one more finds full %q: all together are bounded for anyone", full)
	}
	if _, full := new(Places).Enter(netip.Addr{}, PlaceBounds{PerAddress: 1}, nil); full != "" {
		t.Errorf("a Unix socket finds full %q", full)
	}
}

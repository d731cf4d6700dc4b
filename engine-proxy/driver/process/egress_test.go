package process

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/test/fake/engine/orders"
)

// listenTo opens a socket that our user may connect to.
func listenTo(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
}

func TestShimConnectsAnEngineToItsEgressAlone(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d := k.driver(t, func(o *Options) { o.Users.Off = true })
	admin := filepath.Join(k.root, "admin.sock")
	listenTo(t, admin)
	s := drivertest.NewSpec(t, k.root)
	s.Egress = filepath.Join(s.RuntimeDir, "egress.sock")
	listenTo(t, s.Egress)
	egress := orders.Probe{What: orders.Dial, Arg: s.Egress}
	other := orders.Probe{What: orders.Dial, Arg: admin}
	itself := orders.Probe{What: orders.Dial, Arg: s.Socket}
	begin(t, d, s, orders.Orders{Probes: []orders.Probe{egress, other, itself}})
	r, err := orders.ReadReport(s.Volume)
	must(t, err)
	if err := r.Results[egress]; err != "" {
		t.Errorf("an engine can't connect to its egress: %s", err)
	}
	for _, p := range []orders.Probe{other, itself} {
		if r.Results[p] == "" {
			t.Errorf("an engine can connect to %s", p.Arg)
		}
	}
}

func TestShimFollowsNoLinkInPlaceOfTheEgress(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d := k.driver(t, func(o *Options) { o.Users.Off = true })
	admin := filepath.Join(k.root, "admin.sock")
	listenTo(t, admin)
	s := drivertest.NewSpec(t, k.root)
	s.Egress = filepath.Join(s.RuntimeDir, "egress.sock")
	must(t, os.Symlink(admin, s.Egress))
	egress := orders.Probe{What: orders.Dial, Arg: s.Egress}
	begin(t, d, s, orders.Orders{Probes: []orders.Probe{egress}})
	r, err := orders.ReadReport(s.Volume)
	must(t, err)
	if r.Results[egress] == "" {
		t.Error("an engine reached another socket by a link")
	}
}

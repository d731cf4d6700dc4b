package process

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest/testengine"
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
	egress := testengine.Probe{What: testengine.Dial, Arg: s.Egress}
	other := testengine.Probe{What: testengine.Dial, Arg: admin}
	itself := testengine.Probe{What: testengine.Dial, Arg: s.Socket}
	begin(t, d, s, testengine.Orders{Probes: []testengine.Probe{egress, other, itself}})
	r, err := testengine.ReadReport(s.Volume)
	must(t, err)
	if err := r.Results[egress]; err != "" {
		t.Errorf("an engine can't connect to its egress: %s", err)
	}
	for _, p := range []testengine.Probe{other, itself} {
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
	egress := testengine.Probe{What: testengine.Dial, Arg: s.Egress}
	begin(t, d, s, testengine.Orders{Probes: []testengine.Probe{egress}})
	r, err := testengine.ReadReport(s.Volume)
	must(t, err)
	if r.Results[egress] == "" {
		t.Error("an engine reached another socket by a link")
	}
}

package process

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

func TestSystemCallThatIsNotListedIsNamedOnce(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	k := newKit(t)
	d := k.driver(t, func(o *Options) { o.Logger = zap.New(core) })
	mount := orders.Probe{What: orders.Mount}
	named := func() []observer.LoggedEntry {
		return logs.FilterField(zap.String("call", "mount")).All()
	}
	for range 2 {
		s := drivertest.NewSpec(t, k.root)
		h := begin(t, d, s, orders.Orders{Probes: []orders.Probe{mount, mount}})
		r, err := orders.ReadReport(s.Volume)
		must(t, err)
		if r.Results[mount] != unix.ENOSYS.Error() {
			t.Errorf("an engine that mounts is told %q", r.Results[mount])
		}
		wait.Until(t, "the log names the call", func() bool {
			_, err := d.Inspect(t.Context(), h)
			must(t, err)
			return len(named()) > 0
		})
	}
	if n := len(named()); n != 1 {
		t.Errorf("it was named %d times", n)
	}
}

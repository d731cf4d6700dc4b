package kubernetes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
)

// TestConformance runs the suite of all drivers against a real API server.
// That pods are kept apart is the doing of the fake kubelet: what the
// suite proves of it is that the pods ask for it.
func TestConformance(t *testing.T) {
	t.Parallel()
	const logBytes = 64 << 10
	b := newBed(t)
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	image := b.imageOf(t, "svc-engine-suite:1", map[string]string{"/engine": drivertest.BuildEngine(t), "/broken": broken})
	of := func(change func(*Options)) func(*testing.T) driver.Driver {
		return func(t *testing.T) driver.Driver {
			return b.another(t, func(o *Options) {
				o.Image, o.LogBytes = image, logBytes
				change(o)
			})
		}
	}
	claimed := driver.Capabilities{Files: true, Processes: true, Privileges: true}
	if got := of(func(*Options) {})(t).Capabilities(); got != claimed {
		t.Errorf("the driver claims %+v, and the suite is to prove %+v", got, claimed)
	}
	powerless := b.cluster.Kubeconfig(t, b.namespace, nil)
	deaf := b.cluster.Deaf(t)
	open := b.cluster.Namespace(t)
	openConfig := b.cluster.Kubeconfig(t, open, kubetest.Permissions())
	drivertest.Run(t, drivertest.Harness{
		New:  of(func(*Options) {}),
		Spec: func(t *testing.T) driver.Spec { return b.spec(t) },
		Broken: map[string]func(*testing.T) driver.Driver{
			"TheRuntimeIsUnknown":    of(func(o *Options) { o.RuntimeClass = "nothing" }),
			"ThePriorityIsUnknown":   of(func(o *Options) { o.PriorityClass = "nothing" }),
			"ThereAreNoRights":       of(func(o *Options) { o.Kubeconfig = powerless }),
			"TheNetworkIsOpen":       of(func(o *Options) { o.Namespace, o.Kubeconfig = open, openConfig }),
			"TheSelectorIsMalformed": of(func(o *Options) { o.NodeSelector = map[string]string{"zone": "not a value"} }),
			"TheNamespaceIsNotThere": of(func(o *Options) { o.Namespace = "nothing" }),
		},
		Unforeseen: map[string]func(*testing.T) driver.Driver{
			"TheImageIsMissing":         of(func(o *Options) { o.Image = "svc-engine-suite:none" }),
			"TheCommandIsMissing":       of(func(o *Options) { o.Command = []string{"/nothing"} }),
			"TheCommandIsNotExecutable": of(func(o *Options) { o.Command = []string{"/broken"} }),
			"TheCommandIsAFolder":       of(func(o *Options) { o.Command = []string{"/proc"} }),
		},
		Unavailable: of(func(o *Options) { o.Kubeconfig = deaf }),
		Recycled: func(t *testing.T, h driver.Handle) driver.Handle {
			data, err := parseHandle(h)
			if err != nil {
				t.Fatal(err)
			}
			data.UID = "that-of-an-earlier-pod"
			if h.Data, err = json.Marshal(data); err != nil {
				t.Fatal(err)
			}
			return h
		},
		OwnRoot: true, SharedNetwork: b.cluster.Node != nil, NodeLimits: true, SideBySide: true,
		LogLimit: logBytes,
	})
}

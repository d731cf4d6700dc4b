package docker

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
)

// TestConformance runs the suite of all drivers against a real daemon.
func TestConformance(t *testing.T) {
	t.Parallel()
	const memory, pids, logBytes = 128 << 20, 64, 64 << 10
	daemon := dockertest.Shared(t)
	program := drivertest.BuildEngine(t)
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	daemon.Import(t, "svc-engine-suite:1", map[string]string{"/engine": program, "/broken": broken}, `ENTRYPOINT ["/engine"]`)
	dir := drivertest.TempDir(t)
	driverOf := func(change func(*Options)) func(*testing.T) driver.Driver {
		return func(t *testing.T) driver.Driver {
			opts := Options{
				DataDir: dir, Host: daemon.Host, Image: "svc-engine-suite:1",
				Limits: driver.Limits{Memory: memory, PIDs: pids}, LogBytes: logBytes,
			}
			change(&opts)
			d, err := New(opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		}
	}
	claimed := driver.Capabilities{Files: true, Processes: true, Network: true, Privileges: true, Memory: true, PIDs: true}
	if got := driverOf(func(*Options) {})(t).Capabilities(); got != claimed {
		t.Errorf("the driver claims %+v, and the suite is to prove %+v", got, claimed)
	}
	daemon.Import(t, "svc-engine-suite:volume", map[string]string{"/engine": program}, `ENTRYPOINT ["/engine"]`, "VOLUME /var/lib/x")
	drivertest.Run(t, drivertest.Harness{
		New:  driverOf(func(*Options) {}),
		Spec: func(t *testing.T) driver.Spec { return drivertest.NewSpec(t, dir) },
		Broken: map[string]func(*testing.T) driver.Driver{
			"TheImageIsMissing":         driverOf(func(o *Options) { o.Image = "svc-engine-suite:none" }),
			"TheImageHasAVolume":        driverOf(func(o *Options) { o.Image = "svc-engine-suite:volume" }),
			"TheCommandIsMissing":       driverOf(func(o *Options) { o.Command = []string{"/nothing"} }),
			"TheCommandIsNotExecutable": driverOf(func(o *Options) { o.Command = []string{"/broken"} }),
			"TheCommandIsAFolder":       driverOf(func(o *Options) { o.Command = []string{"/proc"} }),
		},
		Unavailable: driverOf(func(o *Options) { o.Host = "unix://" + filepath.Join(dir, "none.sock") }),
		OwnRoot:     true,
		SideBySide:  true,
		LogLimit:    logBytes, Memory: memory, PIDs: pids,
	})
}

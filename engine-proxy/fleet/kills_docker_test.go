package fleet

import (
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

// TestKillMatrixOfTheDaemon kills Docker's daemon at every moment and starts it
// again. While it is away nothing is concluded from its silence, and afterwards
// everything is as TestKillMatrix demands.
func TestKillMatrixOfTheDaemon(t *testing.T) {
	t.Parallel()
	if elsewhere {
		return // the engines of this test are containers of this machine
	}
	for victim, args := range map[string][]string{victimDaemon: nil, victimRestorer: {"--live-restore"}} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			daemon := dockertest.Start(t, args...)
			daemon.ImportProgram(t, killImage, programs.Build(t, fakeengine.Folder))
			for _, m := range moments {
				t.Run(m.name, func(t *testing.T) {
					k := &kill{victim: victim, daemon: daemon}
					k.play(t, m, func(change func(*Options)) *rig {
						return newRigOn(t, nil, func(o *Options) {
							o.Timing.Reconcile = 50 * time.Millisecond // the silence is noticed
							change(o)
							o.Driver = newDockerDriver(t, o.DataDir, daemon)
						})
					})
				})
			}
		})
	}
}

const killImage = "svc-engine-killed:1"

func newDockerDriver(t *testing.T, dataDir string, daemon *dockertest.Daemon) *docker.Driver {
	t.Helper()
	d, err := docker.New(docker.Options{DataDir: dataDir, Host: daemon.Host, Image: killImage})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// killDaemon kills the daemon, waits until that is known, and starts it again.
func (k *kill) killDaemon() {
	k.t.Helper()
	if err := k.daemon.Kill(); err != nil {
		k.t.Fatal(err)
	}
	wait.Until(k.t, "nothing is started or stopped any more", k.frozen.Load)
	if err := k.daemon.Run(); err != nil {
		k.t.Fatal(err)
	}
	wait.Until(k.t, "the daemon is known to answer", func() bool { return !k.frozen.Load() })
}

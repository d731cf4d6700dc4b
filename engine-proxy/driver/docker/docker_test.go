package docker

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

// Images of these tests: the fake engine; and this test binary, which is a probe
// by its environment.
const (
	testImage  = "svc-engine-test:1"
	probeImage = "svc-engine-probe:1"
)

func TestMain(m *testing.M) {
	runErrandIfAsked()
	probeIfAsked()
	sidebyside.Allow(3)
	dockertest.Main(m)
}

// bed is a data directory and a driver on the daemon of these tests.
type bed struct {
	*Driver
	daemon *dockertest.Daemon
	dir    string
}

func newBed(t testing.TB, change ...func(*Options)) *bed {
	t.Helper()
	return newBedOn(t, dockertest.Shared(t), change...)
}

func newBedOn(t testing.TB, daemon *dockertest.Daemon, change ...func(*Options)) *bed {
	t.Helper()
	dir, err := os.MkdirTemp("", "engd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &bed{daemon: daemon, dir: dir}
	b.Driver = b.another(t, change...)
	t.Cleanup(func() { b.clear(t) })
	return b
}

// another returns a second driver of the same data directory, as after a
// restart of the engine proxy.
func (b *bed) another(t testing.TB, change ...func(*Options)) *Driver {
	t.Helper()
	opts := Options{DataDir: b.dir, Host: b.daemon.Host, Image: testImage}
	for _, f := range change {
		f(&opts)
	}
	switch opts.Image {
	case testImage:
		b.daemon.ImportProgram(t, testImage, programs.Build(t, fakeengine.Folder))
	case probeImage:
		b.daemon.ImportSelf(t, probeImage)
	}
	d, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// clear ends what a test has started.
func (b *bed) clear(t testing.TB) {
	t.Helper()
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	defer cancel()
	list, err := b.List(ctx)
	if err != nil {
		t.Error(err)
	}
	for _, obs := range list {
		if err := b.Stop(ctx, obs.Handle, 0); err != nil {
			t.Error(err)
		}
		if err := b.Remove(ctx, obs.Handle); err != nil {
			t.Error(err)
		}
	}
}

// spec prepares what a driver may rely on.
func (b *bed) spec(t testing.TB) driver.Spec {
	t.Helper()
	id := mint.NewProjectID()
	s := driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: id, Generation: 1, InstanceID: mint.NewInstanceID(time.Now())},
		OwnerID:     "ann",
		Volume:      filepath.Join(b.dir, "projects", id), RuntimeDir: filepath.Join(b.dir, "run", id),
		StateDir: filepath.Join(b.dir, "engines", id),
	}
	s.Socket, s.TokenFile = filepath.Join(s.RuntimeDir, "e.sock"), filepath.Join(s.RuntimeDir, "token")
	for _, dir := range []string{s.Volume, s.RuntimeDir, s.StateDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.TokenFile, []byte("token"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bed) start(t testing.TB, s driver.Spec) driver.Handle {
	t.Helper()
	h, err := b.Start(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ended waits until the instance does not run any more.
func (b *bed) ended(t testing.TB, h driver.Handle) driver.Observed {
	t.Helper()
	var obs driver.Observed
	wait.Until(t, "the container has ended", func() bool {
		var err error
		if obs, err = b.Inspect(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		return !obs.Running
	})
	return obs
}

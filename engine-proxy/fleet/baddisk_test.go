package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/need"
)

// failedStart submits and returns the failure that a client is told.
func (r *rig) failedStart(project string) *engineproxy.FailedError {
	r.t.Helper()
	var failed *engineproxy.FailedError
	if _, err := r.Submit(r.t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, ample); !errors.As(err, &failed) {
		r.t.Fatalf("got %v, want a FailedError", err)
	}
	if strings.Contains(failed.Reason, r.dir) || !failed.Next.After(time.Now()) {
		r.t.Errorf("the client is told %q, next start %s", failed.Reason, failed.Next)
	}
	r.eventuallyState(project, engineproxy.StateFailed)
	return failed
}

func TestCommandThatIsNotExecutableIsFatalAndNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "svc-engine")
	if err := os.WriteFile(program, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := process.New(process.Options{StateRoot: dir, Command: []string{program}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Driver = d })
	project := mint.NewProjectID()
	if failed := r.failedStart(project); !failed.Fatal || failed.Reason != "The engine's program can't be run." {
		t.Errorf("got %+v", failed)
	}
	if code := r.info(project).FailureCode; code != failProgram {
		t.Errorf("code %s", code)
	}
}

func TestVolumeThatCanNotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	if err := os.WriteFile(r.volume(project), nil, 0o600); err != nil { // a file in its place
		t.Fatal(err)
	}
	if failed := r.failedStart(project); failed.Fatal || failed.Reason != "The engine's directories can't be written." {
		t.Errorf("got %+v", failed)
	}
	if code := r.info(project).FailureCode; code != failVolume {
		t.Errorf("code %s", code)
	}
	if err := os.Remove(r.volume(project)); err != nil {
		t.Fatal(err)
	}
	if err := r.Reset(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	r.submit(project)
}

// small mounts a disk of a megabyte.
func small(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "disk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,nr_inodes=200"); err != nil {
		need.Missing(t, "a small disk can't be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes what is left of a disk.
func fill(t *testing.T, dir string) (ballast string) {
	t.Helper()
	ballast = filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 4096); err == nil; {
		_, err = f.Write(chunk)
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	return ballast
}

func TestNoRoomOnTheDiskIsNamedAndPasses(t *testing.T) {
	t.Parallel()
	disk := small(t)
	r := newRig(t, func(o *Options) { o.DataDir = disk })
	project := mint.NewProjectID()
	ballast := fill(t, disk)
	if failed := r.failedStart(project); failed.Fatal || failed.Reason != "There is no room for the engine." {
		t.Errorf("got %+v", failed)
	}
	if code := r.info(project).FailureCode; code != failNoRoom {
		t.Errorf("code %s", code)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := r.Reset(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	r.submit(project)
}

func TestEngineThatFillsItsDiskFailsToStart(t *testing.T) {
	t.Parallel()
	disk := small(t)
	r := newRig(t, func(o *Options) { o.DataDir = disk })
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{FillDisk: 4 << 20})
	// Who meets the full disk first, the engine or the journal, is by chance.
	failed := r.failedStart(project)
	if code := r.info(project).FailureCode; code != failExited && code != failNoRoom {
		t.Errorf("got %+v with code %s", failed, code)
	}
}

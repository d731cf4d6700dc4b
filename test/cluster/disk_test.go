package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// failingDisk is an ext4 in a file, which becomes read-only at its first fault, as systems
// are mostly set up.
type failingDisk struct {
	t          *testing.T
	dir, image string
}

// newFailingDisk mounts one. The test is skipped where that is not allowed, or fails when CI
// is true.
func newFailingDisk(t *testing.T) *failingDisk {
	t.Helper()
	d := &failingDisk{t: t, dir: keep.Dir(t), image: filepath.Join(keep.Dir(t), "disk")}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, 128<<20); err != nil {
		t.Fatal(err)
	}
	d.run("mkfs.ext4", "-q", d.image)
	if out, err := d.mount(); err != nil {
		need.Missing(t, "mounting a disk: %v: %s", err, out)
	}
	t.Cleanup(func() { d.run("umount", "--lazy", d.dir) })
	return d
}

func (d *failingDisk) mount() ([]byte, error) {
	return exec.Command("mount", "-o", "loop,errors=remount-ro", d.image, d.dir).CombinedOutput()
}

func (d *failingDisk) run(name string, args ...string) string {
	d.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// fail has the kernel find a fault.
func (d *failingDisk) fail() {
	d.t.Helper()
	device := filepath.Base(d.run("findmnt", "--noheadings", "--output", "SOURCE", d.dir))
	if err := os.WriteFile("/sys/fs/ext4/"+device+"/trigger_fs_error", []byte("1"), 0); err != nil {
		d.t.Fatal(err)
	}
}

// repair makes the disk anew of what is on it. Nothing may use it.
func (d *failingDisk) repair() {
	d.t.Helper()
	wait.Until(d.t, "nobody uses the disk", func() bool { return exec.Command("umount", d.dir).Run() == nil })
	// 1: faults were found and mended.
	if out, err := exec.Command("fsck.ext4", "-f", "-y", d.image).CombinedOutput(); err != nil && !strings.Contains(err.Error(), "status 1") {
		d.t.Fatalf("fsck: %v: %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		d.t.Fatalf("mounting the mended disk: %v: %s", err, out)
	}
}

// TestADiskThatBecomesReadOnlyRefusesSubmissionsAndOldJobsStayReadable: and once it was
// mended and the service started again, nothing is lost.
func TestADiskThatBecomesReadOnlyRefusesSubmissionsAndOldJobsStayReadable(t *testing.T) {
	t.Parallel()
	disk := newFailingDisk(t)
	b := newStandIn(t, disk.dir, script.Engine{})
	old := b.anotherJob()

	disk.fail()
	b.wantRefused("disk I/O error")
	failure{"disk that becomes read-only", "request failed: disk I/O error", "svc_store_up = 0", "SvcStoreDown"}.wantAsOnThePage(t, b.Gateway, b.key, old)
	if job := b.Job(b.key, old); job.Status != api.JobCompleted {
		t.Errorf("the old job is %s", job.Status)
	}
	b.restart(func() {
		b.killEngines()
		disk.repair()
	})
	b.wantRecovered(b.PID(), old)
}

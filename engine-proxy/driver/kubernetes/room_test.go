package kubernetes

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/need"
)

// TestAnEngineFindsItsOwnLimitBeforeTheFileSystems: what it may hold, in as
// many files as it may have, fits into an ext4 of the claim's size.
func TestAnEngineFindsItsOwnLimitBeforeTheFileSystems(t *testing.T) {
	t.Parallel()
	const files = 20_000 // an engine's most
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		need.Missing(t, "%v", err)
	}
	for _, mebi := range []int64{1, 256, 824, 825, 1 << 10, 64 << 10} {
		volume := mebi << 20
		disk := filepath.Join(t.TempDir(), "disk")
		if err := errors.Join(os.WriteFile(disk, nil, 0o600), os.Truncate(disk, claimBytes(volume))); err != nil {
			t.Fatal(err)
		}
		run(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=1,lazy_journal_init=1", disk)
		about := run(t, "dumpe2fs", "-h", disk)
		block := number(t, about, "Block size")
		free := (number(t, about, "Free blocks") - number(t, about, "Reserved block count")) * block
		if needed := volume + files*block; free < needed {
			t.Errorf("of a claim of %d MiB an engine with %d MiB can fill %d, and needs %d", claimBytes(volume)>>20, mebi, free>>20, needed>>20)
		}
		if inodes := number(t, about, "Free inodes"); inodes < files {
			t.Errorf("a claim of %d MiB has room for %d files", claimBytes(volume)>>20, inodes)
		}
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v%s", name, err, out)
	}
	return string(out)
}

// number reads a line of dumpe2fs.
func number(t *testing.T, about, name string) int64 {
	t.Helper()
	for line := range strings.Lines(about) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("dumpe2fs does not say %q", name)
	return 0
}

func TestAnEngineMayHoldWhatIsConfiguredAndFitsIntoItsClaim(t *testing.T) {
	t.Parallel()
	const mebi = 1 << 20
	d := &Driver{opts: Options{Limits: driver.Limits{Volume: 512 * mebi}}}
	for _, c := range []struct {
		what       string
		asked, has int64 // 0: the claim is not bound
		want       int64
	}{
		{"its own", claimBytes(512 * mebi), 0, 512 * mebi},
		{"a larger one, of an earlier configuration", 8 << 30, 8 << 30, 512 * mebi},
		{"a smaller one, of an earlier configuration", 384 * mebi, 0, 256 * mebi},
		{"one that is larger than was asked for", 384 * mebi, 1 << 30, 512 * mebi},
		{"one that is still to be enlarged", 1 << 30, 384 * mebi, 256 * mebi},
		{"one in which there is hardly anything", 64 * mebi, 0, 32 * mebi},
	} {
		claim := new(corev1.PersistentVolumeClaim)
		claim.Spec.Resources.Requests = storage(c.asked)
		if c.has > 0 {
			claim.Status.Capacity = storage(c.has)
		}
		if got := d.room(claim); got != c.want {
			t.Errorf("in %s: %d MiB, want %d", c.what, got>>20, c.want>>20)
		}
	}
}

func storage(bytes int64) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(bytes, resource.BinarySI)}
}

// TestAVolumeThatExistsKeepsItsSizeAndItsEngineToIt: an operator who gives
// projects more gives it to new ones.
func TestAVolumeThatExistsKeepsItsSizeAndItsEngineToIt(t *testing.T) {
	t.Parallel()
	const first, second = 1 << 30, 2 << 30
	b := newBed(t, func(o *Options) { o.Limits.Volume = first })
	s := b.spec(t)
	b.stop(t, b.start(t, s))
	larger := b.another(t, func(o *Options) { o.Limits.Volume = second })
	s = next(s)
	h, err := larger.Start(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop(t, h)
	claim, err := b.cluster.Admin.CoreV1().PersistentVolumeClaims(b.namespace).Get(t.Context(), claimName(s.ProjectID), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	args := b.all(t)[0].Spec.Containers[0].Args
	at := slices.Index(args, "--volume-bytes")
	if size := claim.Spec.Resources.Requests.Storage().Value(); size != claimBytes(first) || at < 0 || args[at+1] != fmt.Sprint(first) {
		t.Errorf("a claim of %d bytes, and the engine was told %q", size, args)
	}
}

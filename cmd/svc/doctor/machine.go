package doctor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// checkDataDir asks whether the service could write to its data directory. It
// leaves nothing behind: an absent directory is judged by its parent.
func checkDataDir(dir string) Check {
	k := Check{Name: "data directory", Required: true}
	target, err := filepath.Abs(dir)
	if err != nil {
		target = dir
	}
	existing := target
	for {
		info, err := os.Stat(existing)
		if err == nil && !info.IsDir() {
			k.Found, k.Advice = existing+" is not a directory", "move it away or set SVC_DATA_DIR"
			return k
		}
		absent := errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if !absent || filepath.Dir(existing) == existing {
			break
		}
		existing = filepath.Dir(existing)
	}
	probe, err := os.CreateTemp(existing, ".svc-doctor-")
	if err != nil {
		k.Found, k.Advice = fmt.Sprintf("%s is not writable", existing), "change its owner or mode, or set SVC_DATA_DIR"
		return k
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		k.Found, k.Advice = fmt.Sprintf("writing to %s failed: %v", existing, err), "check the disk, or set SVC_DATA_DIR"
		return k
	}
	k.OK, k.Found = true, target+" is writable"
	if existing != target {
		k.Found = target + " will be created"
	}
	return k
}

// Room on a disk, in bytes: below minDisk the service refuses submissions, below lowDisk it
// will soon.
const (
	minDisk = 1 << 20
	lowDisk = 1 << 30
)

// checkDisk asks how much room is left for the data directory.
func checkDisk(dir string, free func(dir string) (uint64, error)) Check {
	k := Check{Name: "disk", Required: true}
	for filepath.Dir(dir) != dir {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	left, err := free(dir)
	switch {
	case err != nil:
		k.Required, k.Found, k.Advice = false, err.Error(), "run as the service's user"
	case left < minDisk:
		k.Found, k.Advice = fmt.Sprintf("%d bytes are left", left), "make room: submissions are refused"
	case left < lowDisk:
		k.Required, k.Found, k.Advice = false, fmt.Sprintf("%d MiB are left", left>>20), "make room soon"
	default:
		k.OK, k.Found = true, fmt.Sprintf("%d GiB are left", left>>30)
	}
	return k
}

// checkJournals names the projects that are cut off from models because their
// journals of calls are damaged; nothing when there are none.
func checkJournals(dataDir string) []Check {
	k := Check{Name: "journals of model calls"}
	damaged, err := egress.Damaged(filepath.Join(dataDir, engineproxy.EgressDir))
	switch {
	case err == nil && len(damaged) == 0, errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		k.Found, k.Advice = err.Error(), "run as the service's user"
	default:
		k.Found = "damaged for " + strings.Join(damaged, ", ")
		k.Advice = "these projects have no models until they are repaired: see Models in docs/operations.md"
	}
	return []Check{k}
}

// checkFile asks for a file that make build puts beside this program.
func checkFile(name, path string, executable bool) Check {
	k := Check{Name: name, Required: true}
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		k.Found, k.Advice = path+" is missing", "run make build"
	case info.Size() == 0:
		k.Found, k.Advice = path+" is empty", "run make build"
	case executable && info.Mode()&0o111 == 0:
		k.Found, k.Advice = path+" is not executable", "run make build"
	default:
		k.OK, k.Found = true, path
	}
	return k
}

// checkChromium asks for the browser that plays games and that the tests use.
func checkChromium() Check {
	k := Check{Name: "Chromium"}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			k.OK, k.Found = true, path
			return k
		}
	}
	k.Found, k.Advice = "not installed", "without it games are checked by simulation alone; make deps installs it"
	return k
}

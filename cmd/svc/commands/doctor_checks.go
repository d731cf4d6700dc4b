package commands

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// checkDataDir asks whether the service could write to its data directory. It
// leaves nothing behind: an absent directory is judged by its parent.
func checkDataDir(dir string) check {
	k := check{Name: "data directory", Required: true}
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
func checkDisk(dir string, free func(dir string) (uint64, error)) check {
	k := check{Name: "disk", Required: true}
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

// diskFree returns how much room is left for us on a folder's disk, in bytes.
func diskFree(dir string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("reading free disk space: %w", err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// checkJournals names the projects that are cut off from models because their
// journals of calls are damaged; nothing when there are none.
func checkJournals(dataDir string) []check {
	k := check{Name: "journals of model calls"}
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
	return []check{k}
}

// checkFile asks for a file that make build puts beside this program.
func checkFile(name, path string, executable bool) check {
	k := check{Name: name, Required: true}
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

// answerTime is how long whoever has the port of the service may take to answer.
const answerTime = 2 * time.Second

// checkAddress asks whether the service runs at its address, or could. Caddy
// listens on its port of every interface, whatever host the address names. Whoever
// listens has the time of within to answer.
func checkAddress(ctx context.Context, address string, within time.Duration) check {
	k := check{Name: "address", Required: true}
	site := siteOf(address)
	port, err := portOf(site)
	if err != nil {
		k.Found, k.Advice = fmt.Sprintf("%q can't be used: %v", address, err), "set SVC_ADDRESS, to "+defaultAddress+" for one"
		return k
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", ":"+port)
	switch {
	case err == nil:
		_ = listener.Close() // nothing was accepted
		k.OK, k.Found = true, "port "+port+" is free"
	case !errors.Is(err, syscall.EADDRINUSE):
		k.Found, k.Advice = fmt.Sprintf("port %s can't be listened on: %v", port, err), "set SVC_ADDRESS to an address with another port"
	case answersLikeService(ctx, site, port, within):
		k.OK, k.Found = true, site+" answers: the service runs"
	default:
		k.Found, k.Advice = "port "+port+" is in use by another program", "stop that program or set SVC_ADDRESS"
	}
	return k
}

// answersLikeService asks whoever has the port on this machine without a key:
// only the service answers 401 with the reason "missing". Whose certificate it
// shows does not matter, since nothing is told to it.
func answersLikeService(ctx context.Context, site, port string, within time.Duration) bool {
	here := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("localhost", port))
	}
	transport := &http.Transport{DialContext: here, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: within}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, site+"/v1/projects", nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return err == nil && resp.StatusCode == http.StatusUnauthorized && strings.Contains(string(body), `"missing"`)
}

// checkChromium asks for the browser that plays games and that the tests use.
func checkChromium() check {
	k := check{Name: "Chromium"}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			k.OK, k.Found = true, path
			return k
		}
	}
	k.Found, k.Advice = "not installed", "without it games are checked by simulation alone; make deps installs it"
	return k
}

package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine-proxy/docker"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/engine-proxy/kubernetes"
)

// StopEnginesFlag, given to "caddy run", makes a stop of the service stop
// working engines too. Caddy's own flags are fixed, so it is taken out here
// and reaches the Caddyfile as $SVC_STOP_ENGINES.
const StopEnginesFlag = "--stop-engines"

// Prepare looks at the command line of cmd/caddy before Caddy does, and
// returns what Caddy shall see. For "run" it makes the data folder, because
// Caddy's admin socket lies in it and is opened before any module, and says in
// one line what would keep the service from starting.
func Prepare(args []string) ([]string, error) {
	if len(args) < 2 || args[1] != "run" {
		return args, nil
	}
	kept := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == StopEnginesFlag })
	if len(kept) < len(args) {
		if err := os.Setenv("SVC_STOP_ENGINES", host.StopAll); err != nil {
			return nil, fmt.Errorf("setting SVC_STOP_ENGINES: %w", err)
		}
	}
	tuneGC()
	dir := os.Getenv("SVC_DATA_DIR")
	if dir == "" {
		dir = "data"
	}
	if err := prepareDataDir(dir); err != nil {
		return nil, err
	}
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	// A configuration that can't be read is Caddy's to report.
	config, err := os.ReadFile(configOf(kept))
	if err != nil {
		return kept, nil
	}
	if err := checkAddress(config); err != nil {
		return nil, err
	}
	elsewhere := os.Getenv("SVC_ENGINES") != "" && os.Getenv("SVC_ENGINES") != "embedded"
	if !elsewhere && !bytes.Contains(config, []byte("frameworks")) && !fromImages(config) {
		if _, err := host.FindFrameworks(""); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// fromImages reports whether engines run from images, which bring the
// frameworks.
func fromImages(config []byte) bool {
	for _, name := range []string{docker.Name, kubernetes.Name} {
		if os.Getenv("SVC_ENGINE_DRIVER") == name || bytes.Contains(config, []byte("driver "+name)) {
			return true
		}
	}
	return false
}

// gcPercent lets the heap grow to five times what lives in it before it is
// collected. The compiled policy lives there, and each collection scans it: a
// tenth of the processor time of a request for some tens of megabytes.
const gcPercent = 400

// tuneGC sets how often garbage is collected, unless the operator did.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

func prepareDataDir(dir string) error {
	advice := "make it writable or set SVC_DATA_DIR to a folder that is"
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o700); err != nil {
		return fmt.Errorf("the data folder can't be made: %w: %s", err, advice)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("the data folder can't be written: %w: %s", err, advice)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// maxSocketPath is the longest path of a Unix socket on Linux.
const maxSocketPath = 107

// checkFree says so when another service works on the folder: Caddy would take
// the other one's admin socket away before any module could refuse. It says so
// as well when the folder's path is too long for that socket.
func checkFree(dir string) error {
	socket := filepath.Join(dir, "run", "caddy.sock")
	if len(socket) > maxSocketPath {
		return fmt.Errorf("the path %s is longer than the %d bytes that a socket's may have: set SVC_DATA_DIR to a shorter path", socket, maxSocketPath)
	}
	conn, err := net.Dial("unix", socket)
	if err == nil {
		return errors.Join(fmt.Errorf("another service works on %s: stop it or set SVC_DATA_DIR to another folder", dir), conn.Close())
	}
	return nil
}

// configOf returns the file that --config or -c names, "" when there is none.
func configOf(args []string) string {
	for i, a := range args {
		for _, flag := range []string{"--config", "-c"} {
			if value, ok := strings.CutPrefix(a, flag+"="); ok {
				return value
			}
			if a == flag && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return ""
}

// checkAddress says so when another program listens on SVC_ADDRESS, which
// Caddy would say too, but without what to do. It looks only when the
// configuration goes by that variable.
func checkAddress(config []byte) error {
	if !bytes.Contains(config, []byte("{$SVC_ADDRESS")) {
		return nil
	}
	address := os.Getenv("SVC_ADDRESS")
	if address == "" {
		address = "http://localhost:8080"
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return nil
	}
	l, err := net.Listen("tcp", ":"+u.Port())
	if err != nil {
		return fmt.Errorf("port %s can't be used: %w: stop the program that uses it or set SVC_ADDRESS to another address", u.Port(), err)
	}
	return l.Close()
}

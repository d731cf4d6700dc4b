package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/store"
)

// StopEnginesFlag, given to "caddy run", makes a stop of the service stop
// working engines too. Caddy's own flags are fixed, so it is taken out here
// and reaches the Caddyfile as $SVC_STOP_ENGINES.
const StopEnginesFlag = "--stop-engines"

// Prepare looks at the command line of cmd/caddy before Caddy does, and
// returns the arguments for Caddy. For "run" it makes the data directory, because
// Caddy's admin socket lies in it and is opened before any module, and says in
// one line what would keep the service from starting, by the configuration that it
// will have.
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
	config, read := readConfig(kept)
	if read && !config.ours {
		return kept, nil
	}
	if address := config.enginesElsewhere(); address != "" && config.store() != "" {
		return nil, caddymodule.MixedForms(address)
	}
	dir := config.dataDir()
	if err := prepareDataDir(dir); err != nil {
		return nil, err
	}
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	if !read {
		return kept, nil
	}
	if err := checkStore(config.store()); err != nil {
		return nil, err
	}
	if err := checkAddresses(config.addresses()); err != nil {
		return nil, err
	}
	if dir, needed := config.frameworks(); needed {
		if _, err := host.FindFrameworks(dir); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func prepareDataDir(dir string) error {
	advice := "make it writable or set SVC_DATA_DIR to a folder that is"
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o700); err != nil {
		return fmt.Errorf("the data directory can't be made: %w: %s", err, advice)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("the data directory can't be written: %w: %s", err, advice)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// checkFree says so when another service works on the folder: Caddy would take
// the other one's admin socket away before any module could refuse. It says so
// as well when the folder's path is too long for that socket.
func checkFree(dir string) error {
	socket := filepath.Join(dir, "run", "caddy.sock")
	if len(socket) > peer.MaxSocketPath {
		return fmt.Errorf("the path %s is longer than the %d bytes that a socket's may have: set SVC_DATA_DIR to a shorter path", socket, peer.MaxSocketPath)
	}
	conn, err := net.Dial("unix", socket)
	if err == nil {
		return errors.Join(fmt.Errorf("another service works on %s: stop it or set SVC_DATA_DIR to another folder", dir), conn.Close())
	}
	return nil
}

// checkStore says so when a later svc made the store, or it was moved. What else it has,
// opening it says.
func checkStore(path string) error {
	if path == "" {
		return nil
	}
	err := store.ReadOnly(context.Background(), path, func(*store.Reader) error { return nil })
	if errors.Is(err, store.ErrNewer) || errors.Is(err, store.ErrMoved) {
		return fmt.Errorf("the store %s can't be used: %w", path, err)
	}
	return nil
}

// checkAddresses says so when another program listens on an address of the
// configuration, which Caddy would say too, but without what to do, or not at all:
// two of its processes can share a port, and would each get a part of the requests.
func checkAddresses(all []string) error {
	for _, one := range all {
		address, err := caddy.ParseNetworkAddress(one)
		if err != nil || !strings.HasPrefix(address.Network, "tcp") {
			continue
		}
		for offset := range address.PortRangeSize() {
			at := address.JoinHostPort(offset)
			l, err := net.Listen(address.Network, at)
			if errors.Is(err, syscall.EADDRINUSE) {
				return fmt.Errorf("the address %s can't be used: %w: stop the program that uses it or set SVC_ADDRESS to another one", at, err)
			}
			if err != nil {
				continue // Caddy says so itself
			}
			if err := l.Close(); err != nil {
				return fmt.Errorf("closing the listener that tried %s: %w", at, err)
			}
		}
	}
	return nil
}

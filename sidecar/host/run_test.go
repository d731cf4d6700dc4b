package host_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
)

func none(string) string { return "" }

// run runs a sidecar until the test cancels it.
func run(t *testing.T, args ...string) (stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	o, err := host.ParseFlags(append(args, "--log-level=error"), none, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- host.Run(ctx, o) }()
	t.Cleanup(cancel)
	return cancel, done
}

// answers waits until a sidecar answers at a peer.
func answers(t *testing.T, conn *peer.Client) {
	t.Helper()
	c := wire.New(conn, wire.Options{})
	defer c.Close()
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, err := c.Project(t.Context(), "000000000000000000000000")
		if errors.Is(err, sidecar.ErrUnknownProject) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not answer: %v", err)
		}
	}
}

func TestSidecarServesUntilItIsStopped(t *testing.T) {
	dir := keep.Dir(t)
	stop, ended := run(t, "--data-dir", dir)
	answers(t, peer.UnixClient(filepath.Join(dir, host.Socket)))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, host.Socket)); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestSidecarStopsWhenItsSocketIsTakenOver(t *testing.T) {
	dir := keep.Dir(t)
	conn := peer.UnixClient(filepath.Join(dir, host.Socket))
	_, first := run(t, "--data-dir", dir)
	answers(t, conn)
	_, refused := run(t, "--data-dir", dir)
	if err := <-refused; err == nil || !errors.Is(err, peer.ErrInUse) || !strings.Contains(err.Error(), "--take-over") {
		t.Errorf("a second one without --take-over: %v", err)
	}
	stop, second := run(t, "--data-dir", dir, "--take-over")
	if err := <-first; err != nil {
		t.Error(err)
	}
	answers(t, conn)
	stop()
	if err := <-second; err != nil {
		t.Error(err)
	}
}

func TestBadCommandLineIsRefusedBeforeAnythingIsOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	prices := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(prices, []byte(`{"image":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"not defined: -colour":  {"--colour"},
		"--listen can't be off": {"--listen=off"},
		`"x" is not an address`: {"--opa-listen=x"},
		"--listen 127.0.0.1:1 needs mutual TLS: give --tls-ca, --tls-cert, --tls-key, --tls-names too": {"--listen=127.0.0.1:1"},
		"--admin-listen :1 needs mutual TLS: give --admin-names too":                                   {"--admin-listen=:1", "--tls-cert=c", "--tls-key=k", "--tls-ca=a"},
		"the log level must be":       {"--log-level=loud"},
		"the log format must be":      {"--log-format=xml"},
		"generator.job has no price":  {"--prices", prices},
		"no such file":                {"--prices", prices + "x"},
		"mode":                        {"--decision-log=sometimes"},
		"needs the key":               {"--policy", "bundle.tar.gz"},
		"max_queued must be from 1":   {"--max-queued=21"},
		"must be a number of":         {"--max-projects=0"},
		"-decision-timeout: parse":    {"--decision-timeout=soon"},
		`unexpected argument "again"`: {"again"},
	} {
		o, err := host.ParseFlags(append([]string{"--data-dir", dir}, args...), none, io.Discard)
		if err == nil {
			err = host.Run(t.Context(), o)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", args, err, want)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%q: the data directory was made", args)
		}
	}
	if _, err := host.ParseFlags([]string{"--help"}, none, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help: %v", err)
	}
}

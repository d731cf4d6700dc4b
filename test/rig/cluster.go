package rig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// Cluster is several gateways before one engine proxy. On PostgreSQL each gateway
// has its sidecar in its process, and the engine proxy one of its own beside it;
// on SQLite there is one sidecar for all.
type Cluster struct {
	Gateways []*Gateway
	Sidecar  *Process // svc-sidecar: all gateways' on SQLite, the engine proxy's on PostgreSQL
	Proxy    *Process // the rig's engine proxy: svc-engine-proxy with points

	Dir string // of svc-sidecar and the engine proxy

	t          testing.TB
	store      string // URL of PostgreSQL, "" for SQLite
	frameworks string
}

// clustered is the configuration of a gateway. The arguments are the sidecar's
// and the engine proxy's address.
var clustered = `{
	admin "unix/{$SVC_DATA_DIR}/run/caddy.sock|0600"
	persist_config off
	shutdown_delay {$SVC_SHUTDOWN_DELAY:0s}
	grace_period {$SVC_GRACE}
	log {
		format svc {
			wrap json
		}
	}
	svc {
		data_dir "{$SVC_DATA_DIR}"
		retry_after 1s
		sidecar %s
		engines %s
	}
}
` + site

// LaunchCluster starts n gateways on a store, "" for SQLite or the URL of
// PostgreSQL, and waits until all answer. env are further variables of the gateways.
func LaunchCluster(t testing.TB, n int, store string, s script.Engine, env ...string) *Cluster {
	t.Helper()
	c := NewCluster(t, store, s)
	c.Launch(n, "", env...)
	return c
}

// Launch starts the parts and n gateways, of a program that is Caddy with the service's
// modules, "" for the rig's, and waits until all answer.
func (c *Cluster) Launch(n int, program string, env ...string) {
	c.t.Helper()
	c.start(c.Sidecar, c.SidecarReady)
	c.start(c.Proxy, c.ProxyReady)
	side := "embedded"
	if c.store == "" {
		side = c.address("sidecar.sock")
	}
	for range n {
		g := NewGateway(c.t, Options{
			Program:   cmp.Or(program, Program(c.t, "gateway")),
			Caddyfile: fmt.Sprintf(clustered, side, c.address("engines.sock")),
			Env:       append([]string{"SVC_STORE=" + c.store}, env...),
		})
		if c.store != "" && program == "" {
			g.tap("sidecar")
		}
		c.start(&g.Process, g.Ready)
		g.adminDir = c.Dir // of any sidecar
		c.Gateways = append(c.Gateways, g)
	}
}

// NewCluster prepares a cluster's parts, and ends what of them runs at the end.
func NewCluster(t testing.TB, store string, s script.Engine) *Cluster {
	t.Helper()
	c := &Cluster{t: t, Dir: keep.Dir(t), store: store, frameworks: newFrameworks(t)}
	c.Script(s)
	c.Sidecar = &Process{
		Args: []string{Bin(t, "svc-sidecar"), "--data-dir", c.Dir, "--log-format", "json"},
		Dir:  c.Dir, Env: []string{"SVC_STORE=" + store, "SVC_DECISION_TIMEOUT=10s"}, // as NewGateway has it
	}
	c.Proxy = &Process{
		Args: []string{Program(t, "engineproxy"), "--data-dir", c.Dir, "--log-format", "json",
			"--command", Program(t, "engine"), "--frameworks", c.frameworks},
		Dir: c.Dir,
	}
	for _, p := range []*Process{c.Sidecar, c.Proxy} {
		t.Cleanup(func() {
			if err := errors.Join(p.Stop(), killEngines(t, c.Dir)); err != nil {
				t.Error(err)
			}
			keep.Text(t, filepath.Base(c.Dir)+"-"+filepath.Base(p.Args[0])+".log", p.Log())
			if t.Failed() {
				t.Logf("log of %s:\n%s", p.Args[0], tail(p.Log()))
			}
		})
	}
	return c
}

// Script changes what the engines do.
func (c *Cluster) Script(s script.Engine) {
	c.t.Helper()
	writeScript(c.t, c.frameworks, s)
}

// Volume returns a project's volume.
func (c *Cluster) Volume(project string) string { return filepath.Join(c.Dir, "projects", project) }

// SidecarReady waits until svc-sidecar answers, on its admin socket too.
func (c *Cluster) SidecarReady(ctx context.Context) error {
	return listening(ctx, c.Sidecar, "unix", c.socket("sidecar.sock"))
}

// ProxyReady waits until the engine proxy answers.
func (c *Cluster) ProxyReady(ctx context.Context) error {
	return listening(ctx, c.Proxy, "unix", c.socket("engines.sock"))
}

func (c *Cluster) socket(name string) string { return filepath.Join(c.Dir, "run", name) }

func (c *Cluster) address(name string) string { return "unix/" + c.socket(name) }

// start starts a process and waits until it answers.
func (c *Cluster) start(p *Process, ready func(context.Context) error) {
	c.t.Helper()
	if err := errors.Join(p.Start(), ready(c.t.Context())); err != nil {
		c.t.Fatalf("%v\n%s", err, tail(p.Log()))
	}
}

// listening waits until a process listens at an address; a socket may have been left there by
// an earlier one.
func listening(ctx context.Context, p *Process, network, address string) error {
	exited := p.Exited()
	var ended error
	err := wait.Poll(ctx, wait.Patience, func() bool {
		select {
		case <-exited:
			ended = fmt.Errorf("%s ended", p.Args[0])
			return true
		default:
		}
		conn, err := net.Dial(network, address)
		if err != nil {
			return false
		}
		_ = conn.Close() // nothing was said
		return true
	})
	return errors.Join(err, ended)
}

package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig/script"
)

// Pair is a cluster of the form of deploy/compose.yaml and deploy/kubernetes: its gateways and
// its engine proxy reach two svc-sidecars on one PostgreSQL under one name, by mutual TLS.
type Pair struct {
	*Cluster
	Second *Process // the other sidecar

	addresses map[*Process]string
}

// LaunchPair starts n gateways over a pair of sidecars on the PostgreSQL that a URL names, and
// waits until all answer. env are further variables of the gateways.
func LaunchPair(t testing.TB, n int, store string, s script.Engine, env ...string) *Pair {
	t.Helper()
	p := &Pair{Cluster: NewCluster(t, store, s), Second: new(Process), addresses: make(map[*Process]string)}
	authority := peertest.NewAuthority(t)
	p.Second.Args = append(p.Second.Args, p.Sidecar.Args...)
	p.Second.Args[2] = keep.Dir(t)
	p.Second.Dir, p.Second.Env = p.Second.Args[2], p.Sidecar.Env
	own := authority.Issue("sidecar")
	for _, side := range []*Process{p.Sidecar, p.Second} {
		p.addresses[side] = freeport.Address(t)
		side.Args = append(side.Args, "--listen", p.addresses[side],
			"--tls-cert", own.Cert, "--tls-key", own.Key, "--tls-ca", own.CA, "--tls-names", "gateway,engines")
		p.start(side, func(ctx context.Context) error { return p.Ready(ctx, side) })
	}
	t.Cleanup(func() {
		if err := p.Second.Stop(); err != nil {
			t.Error(err)
		}
		keep.Text(t, "second-sidecar.log", p.Second.Log())
	})
	name := shared(t, p.addresses[p.Sidecar], p.addresses[p.Second])
	own = authority.Issue("engines")
	p.Proxy.Args = append(p.Proxy.Args, "--sidecar", name, "--sidecar-name", "sidecar", "--tls-cert", own.Cert, "--tls-key", own.Key, "--tls-ca", own.CA)
	p.start(p.Proxy, p.ProxyReady)
	own = authority.Issue("gateway")
	for range n {
		g := NewGateway(t, Options{
			Program: Program(t, "gateway"),
			Caddyfile: fmt.Sprintf(clustered, fmt.Sprintf("%s {\n\t\t\ttls %s %s %s sidecar\n\t\t}", name, own.Cert, own.Key, own.CA),
				p.address("engines.sock")),
			Env: env,
		})
		p.start(&g.Process, g.Ready)
		g.adminDir = p.Dir
		p.Gateways = append(p.Gateways, g)
	}
	return p
}

// Ready waits until a sidecar of the pair answers, and has its admin socket.
func (p *Pair) Ready(ctx context.Context, side *Process) error {
	return errors.Join(listening(ctx, side, "tcp", p.addresses[side]), listening(ctx, side, "unix", side.Args[2]+"/admin.sock"))
}

// shared returns an address whose connections lead to one after the other of those that take
// them, as those to a Service of Kubernetes do.
func shared(t testing.TB, addresses ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for turn := 0; ; turn++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go lead(conn, addresses[turn%len(addresses)], addresses[(turn+1)%len(addresses)])
		}
	}()
	return listener.Addr().String()
}

// lead leads a connection to the first of the addresses that takes it.
func lead(conn net.Conn, addresses ...string) {
	defer conn.Close()
	for _, address := range addresses {
		to, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		go func() {
			_, _ = io.Copy(to, conn) // until one end goes
			_ = to.Close()
		}()
		_, _ = io.Copy(conn, to)
		return
	}
}

package rig

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/rig/script"
)

// Hosts of Apart.
const (
	HostGateway = "gateway"
	HostSidecar = "sidecar"
	HostEngines = "engines"
)

// Apart is a cluster of one gateway on SQLite whose parts are on hosts of their own, as far
// as the network goes: each is in a namespace of the kernel's, and they reach one another
// by mutual TLS.
type Apart struct {
	*Cluster
	namespaces string            // how their names begin
	network    string            // how their addresses begin
	addresses  map[string]string // by host
	authority  *peertest.Authority
}

// LaunchApart starts a cluster apart. It needs root: the test is skipped without, or fails
// when CI is true.
func LaunchApart(t testing.TB, s script.Engine) *Apart {
	t.Helper()
	if os.Geteuid() != 0 {
		need.Missing(t, "only root can make network namespaces")
	}
	a := &Apart{
		Cluster:    NewCluster(t, "", s),
		namespaces: "svc" + strings.ToLower(rand.Text()[:8]),
		network:    fmt.Sprintf("10.%d.%d.", 213+mathrand.IntN(40), mathrand.IntN(256)),
	}
	a.addresses = map[string]string{HostGateway: a.network + "1", HostSidecar: a.network + "2", HostEngines: a.network + "3"}
	a.connect()
	a.authority = peertest.NewAuthority(t)
	for host, p := range map[string]*Process{HostSidecar: a.Sidecar, HostEngines: a.Proxy} {
		own := a.authority.Issue(host)
		p.Args = append(a.on(host), append(p.Args,
			"--listen", a.address(host), "--tls-cert", own.Cert, "--tls-key", own.Key, "--tls-ca", own.CA, "--tls-names", HostGateway+","+HostEngines)...)
	}
	a.Proxy.Args = append(a.Proxy.Args, "--sidecar", a.address(HostSidecar), "--sidecar-name", HostSidecar)
	a.start(a.Sidecar, func(ctx context.Context) error { return listening(ctx, a.Sidecar, "unix", a.socket("../admin.sock")) })
	a.start(a.Proxy, a.ProxyReady)

	own := a.authority.Issue(HostGateway)
	g := NewGateway(t, Options{
		Program: Program(t, "gateway"), Prefix: a.on(HostGateway),
		Caddyfile: fmt.Sprintf(clustered, a.peer(HostSidecar, own), a.peer(HostEngines, own)),
	})
	g.Addr = net.JoinHostPort(a.addresses[HostGateway], freeport.Port(t))
	g.Env = append(g.Env, "SVC_ADDRESS=http://"+g.Addr)
	g.adminDir = a.Dir
	a.start(&g.Process, g.Ready)
	a.Gateways = []*Gateway{g}
	return a
}

// address is where a part listens for gateways.
func (a *Apart) address(host string) string { return net.JoinHostPort(a.addresses[host], "7440") }

// peer is how a Caddyfile names a part.
func (a *Apart) peer(host string, own peer.TLS) string {
	return fmt.Sprintf("%s {\n\t\t\ttls %s %s %s %s\n\t\t}", a.address(host), own.Cert, own.Key, own.CA, host)
}

// on begins a command line that runs on a host.
func (a *Apart) on(host string) []string {
	return []string{"ip", "netns", "exec", a.namespaces + "-" + host}
}

// Expire puts a certificate that has ended in the place of a part's.
func (a *Apart) Expire(host string) { a.authority.IssueExpired(host) }

// Renew puts a good one there.
func (a *Apart) Renew(host string) { a.authority.Issue(host) }

// Silence has a host take packets and answer none, until Restore.
func (a *Apart) Silence(host string) {
	a.t.Helper()
	a.routes(host, "add")
}

// Restore ends Silence.
func (a *Apart) Restore(host string) {
	a.t.Helper()
	a.routes(host, "del")
}

func (a *Apart) routes(host, change string) {
	a.t.Helper()
	for _, half := range []string{"0/25", "128/25"} { // each is nearer than the network
		a.ip("-n", a.namespaces+"-"+host, "route", change, "blackhole", a.network+half)
	}
}

// connect makes the hosts, and plugs them and this one into a switch.
func (a *Apart) connect() {
	a.t.Helper()
	at := func(host string) string { return a.namespaces + "-" + host }
	for _, host := range []string{HostGateway, HostSidecar, HostEngines} {
		a.ip("netns", "add", at(host))
		a.t.Cleanup(func() { a.ip("netns", "del", at(host)) })
		a.ip("-n", at(host), "link", "set", "lo", "up")
	}
	hub := at(HostGateway)
	a.ip("-n", hub, "link", "add", "switch", "type", "bridge")
	a.ip("-n", hub, "link", "set", "switch", "up")
	a.ip("-n", hub, "address", "add", a.addresses[HostGateway]+"/24", "dev", "switch")
	for _, host := range []string{HostSidecar, HostEngines} {
		a.ip("-n", at(host), "link", "add", "out", "type", "veth", "peer", "name", host, "netns", hub)
		a.ip("-n", at(host), "address", "add", a.addresses[host]+"/24", "dev", "out")
		a.ip("-n", at(host), "link", "set", "out", "up")
		a.ip("-n", hub, "link", "set", host, "master", "switch", "up")
	}
	a.ip("link", "add", a.namespaces, "type", "veth", "peer", "name", "test", "netns", hub) // it goes with the hub
	a.ip("address", "add", a.network+"4/24", "dev", a.namespaces)
	a.ip("link", "set", a.namespaces, "up")
	a.ip("-n", hub, "link", "set", "test", "master", "switch", "up")
}

// ip runs the program that sets networks up.
func (a *Apart) ip(args ...string) {
	a.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		a.t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

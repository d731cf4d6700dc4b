package freeport

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// What the system gives out itself could be taken before the program listens.
func TestAddressIsFreeAndNotOneThatTheSystemGivesOut(t *testing.T) {
	raw, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Fatal(err)
	}
	first, err := strconv.Atoi(strings.Fields(string(raw))[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		address := Address(t)
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if port := l.Addr().(*net.TCPAddr).Port; port >= first {
			t.Errorf("the system gives out ports from %d on, and so %d", first, port)
		}
	}
}

// A gateway that one test has killed and starts again must not find another
// test's on its port: both would listen, since Caddy shares its ports. The locks
// are of open files, so two leases stand for two processes.
func TestNoTwoProcessesGetTheSamePortThoughNobodyListensOnIt(t *testing.T) {
	const few = 6
	dir, from := t.TempDir(), lowest
	one := &leases{dir: dir, lowest: from, end: from + few}
	other := &leases{dir: dir, lowest: from, end: from + few}
	given := make(map[string]bool)
	for i := range few {
		taker := []*leases{one, other}[i%2]
		ports, err := taker.ports(1)
		if err != nil {
			continue // something else on this machine listens
		}
		if given[ports[0]] {
			t.Errorf("port %s is given out twice", ports[0])
		}
		given[ports[0]] = true
	}
	if len(given) < 2 {
		t.Fatalf("%d of %d ports are free: that shows nothing", len(given), few)
	}
	for _, l := range []*leases{one, other} {
		if ports, err := l.ports(1); err == nil {
			t.Errorf("%s is given out though none is left", ports)
		}
	}
}

package drivertest

import (
	"crypto/rand"
	"net"
	"testing"
	"time"
)

// listen opens what an engine must not reach, on this machine, and returns
// the addresses, and whether a datagram has come.
func listen(t *testing.T) (tcp, udp string, came func() bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { p.Close() })
	return l.Addr().String(), p.LocalAddr().String(), func() bool {
		// Loopback delivers before the sender goes on.
		must(t, p.SetReadDeadline(time.Now().Add(short)))
		_, _, err := p.ReadFrom(make([]byte, 1))
		return err == nil
	}
}

// listenAbstract opens a Unix socket without a file and returns its name.
func listenAbstract(t *testing.T) string {
	t.Helper()
	name := "svc-test-" + rand.Text()
	l, err := net.Listen("unix", "@"+name)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return name
}

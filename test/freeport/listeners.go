package freeport

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Listeners returns how many sockets listen on the port of an address. During a reload
// Caddy has two; a connection that waits in the old one when it closes is reset.
func Listeners(t testing.TB, address string) (n int) {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	const listening = "0A"
	port := fmt.Sprintf(":%04X", number)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(table)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // without IPv6 there is one
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			// sl local_address rem_address st …
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], port) && f[3] == listening {
				n++
			}
		}
	}
	return n
}

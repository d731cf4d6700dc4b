package postgrestest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/test/keep"
)

// socketName is the name of PostgreSQL's socket in its folder.
const socketName = ".s.PGSQL.5432"

// Losing stands before PostgreSQL and loses its answers.
type Losing struct {
	// Commits is of how many commits more the answer is lost: their connections are
	// cut in its place.
	Commits atomic.Int32
	// ThenAll says that with the answer to a commit all further ones are lost, until
	// it is unset.
	ThenAll atomic.Bool

	deaf atomic.Bool
}

// Between returns the address of a database as it is reached through l.
func (l *Losing) Between(t testing.TB, address string) string {
	t.Helper()
	dir := keep.Dir(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	server := filepath.Join(query.Get("host"), socketName)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.pass(conn, server)
		}
	}()
	return u.String()
}

// pass passes on what one connection and the server say.
func (l *Losing) pass(conn net.Conn, server string) {
	defer conn.Close()
	to, err := net.Dial("unix", server)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, conn)
		_ = to.Close()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := to.Read(buf)
		// PostgreSQL sends the end of a commit in one piece, on its own.
		if bytes.Contains(buf[:n], []byte("COMMIT\x00")) && l.Commits.Add(-1) >= 0 {
			l.deaf.Store(l.ThenAll.Load())
			return
		}
		if l.deaf.Load() && l.ThenAll.Load() {
			return
		}
		if _, writeErr := conn.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

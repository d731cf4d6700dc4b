package foreign

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
)

// cutAt is where a wire is cut: in the data of the event with the number cutEvent.
var cutAt = []byte(fmt.Sprintf("id: %d\nevent: ", cutEvent))

const cutEvent = 3

// wire is what lies between a client and the service: it counts requests, and may cut one
// answer off.
type wire struct {
	addr, to string
	listener net.Listener

	mu    sync.Mutex // guards the following fields
	asked int        // requests
	live  int        // connections
	said  []string   // status lines of answers
	cut   bool       // the next event that is at cutAt is cut, which is still to come
}

// newWire makes a wire to an address; with cut, it is cut once.
func newWire(t *testing.T, to string, cut bool) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{addr: listener.Addr().String(), to: to, listener: listener, cut: cut}
	t.Cleanup(func() { _ = listener.Close() }) // ends accept
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go w.join(c.(*net.TCPConn))
		}
	}()
	return w
}

func (w *wire) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *wire) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.live
}

func (w *wire) count(asked, live int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked += asked
	w.live += live
}

// join passes bytes on in both directions until one side is over. Where no one listens, the
// client's connection is reset, as it is where one listened before.
func (w *wire) join(client *net.TCPConn) {
	defer client.Close()
	served, err := net.Dial("tcp", w.to)
	if err != nil {
		w.count(1, 0)
		_ = client.SetLinger(0) // a reset
		return
	}
	defer served.Close()
	w.count(0, 1)
	defer w.count(0, -1)
	go func() {
		_, _ = io.Copy(counter{w, served}, client) // the client is gone, or the service
		_ = served.Close()
	}()
	buf := make([]byte, 32<<10)
	var before []byte // the end of what was passed on, where cutAt may begin
	for {
		n, err := served.Read(buf)
		w.answer(buf[:n])
		read := append(before, buf[:n]...)
		if at := bytes.Index(read, cutAt); at >= 0 && w.cutsNow() {
			_, _ = client.Write(read[len(before):min(len(read), at+len(cutAt)+40)]) // into the data, if it is there
			_ = client.SetLinger(0)
			return
		}
		before = bytes.Clone(read[max(0, len(read)-len(cutAt)+1):])
		if _, writeErr := client.Write(buf[:n]); writeErr != nil {
			return
		}
		if err != nil {
			if err != io.EOF {
				_ = client.SetLinger(0)
			}
			return
		}
	}
}

// answer keeps the status line that bytes from the service begin with.
func (w *wire) answer(raw []byte) {
	if line, _, found := bytes.Cut(raw, []byte("\r\n")); found && bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, string(line))
	}
}

func (w *wire) answers() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said)
}

// uncut reports whether a cut is still to come.
func (w *wire) uncut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

func (w *wire) cutsNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	cut := w.cut
	w.cut = false
	return cut
}

// counter counts the requests that are written to it.
type counter struct {
	w  *wire
	to io.Writer
}

func (c counter) Write(p []byte) (int, error) {
	c.w.count(bytes.Count(p, []byte("GET /v1/")), 0)
	return c.to.Write(p)
}

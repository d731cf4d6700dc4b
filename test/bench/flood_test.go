package bench

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig"
)

// clientsOfAPoll send requests at the same time, each on its own connection.
const clientsOfAPoll = 16

// perRequest asks for the record for a while and returns the processor time of the process
// per request, in microseconds.
func (p *peer) perRequest(t *testing.T, last time.Duration) float64 {
	t.Helper()
	p.flood(t, last/4) // caches fill, connections open
	before := cpuOf(t, p.Process)
	n := p.flood(t, last)
	return float64((cpuOf(t, p.Process) - before).Nanoseconds()) / 1000 / float64(n)
}

func cpuOf(t *testing.T, p *rig.Process) time.Duration {
	t.Helper()
	used, err := cpu(p.PID())
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// flood asks with several clients and returns how many answers came, all of which must be
// 200.
func (p *peer) flood(t *testing.T, last time.Duration) int64 {
	t.Helper()
	end := time.Now().Add(last)
	var answers atomic.Int64
	var wg sync.WaitGroup
	for range clientsOfAPoll {
		wg.Go(func() {
			conn, err := net.Dial("tcp", p.addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			buf := make([]byte, 16<<10)
			for time.Now().Before(end) {
				if err := exchange(conn, p.request, buf); err != nil {
					t.Error(err)
					return
				}
				answers.Add(1)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return answers.Load()
}

// exchange sends a request and reads its answer, without the cost of a client
// that does more.
func exchange(conn net.Conn, request, buf []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	n := 0
	for {
		m, err := conn.Read(buf[n:])
		if err != nil {
			return err
		}
		n += m
		head, body, complete := bytes.Cut(buf[:n], []byte("\r\n\r\n"))
		if !complete {
			continue
		}
		if !bytes.HasPrefix(head, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("the answer is %q", head)
		}
		_, after, found := strings.Cut(string(head), "Content-Length: ")
		if !found {
			return fmt.Errorf("the answer has no length: %q", head)
		}
		var length int
		if _, err := fmt.Sscan(after, &length); err != nil {
			return err
		}
		if len(body) >= length {
			return nil
		}
	}
}

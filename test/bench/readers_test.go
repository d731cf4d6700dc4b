package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// eventsPath is the address of a job's event stream.
func eventsPath(sub api.Submission) string {
	return fmt.Sprintf("/v1/generate/%s/events?projectId=%s", sub.JobID, sub.ProjectID)
}

// readers are clients that read event streams at one address.
type readers struct {
	addr    string
	wg      sync.WaitGroup
	conns   []net.Conn
	opened  atomic.Int64 // have had their answer
	sound   atomic.Int64 // of them those whose engine is not frozen
	ended   atomic.Int64 // by the other side
	events  atomic.Int64 // that came
	measure atomic.Bool  // whether times grows

	mu    sync.Mutex // guards times
	times []time.Duration
}

// took returns how long each event took that came while measure was set, since it was
// called last.
func (r *readers) took() (times []time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	times, r.times = r.times, nil
	return times
}

// open sends a request for a stream, and has its answer read.
func (r *readers) open(t *testing.T, request []byte, frozen bool) {
	t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	r.conns = append(r.conns, conn)
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	r.wg.Go(func() { r.read(conn, frozen) })
}

func (r *readers) read(conn net.Conn, frozen bool) {
	lines := bufio.NewReaderSize(conn, 2<<10)
	head, err := lines.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(head, []byte("HTTP/1.1 200 ")) {
		return // it is missed
	}
	if r.opened.Add(1); !frozen {
		r.sound.Add(1)
	}
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil || bytes.Equal(line, []byte("0\r\n")) {
			r.ended.Add(1)
			return
		}
		_, after, found := bytes.Cut(line, []byte(`"message":"1`))
		if !found {
			continue
		}
		if r.events.Add(1); r.measure.Load() {
			text, _, _ := bytes.Cut(after, []byte(`"`))
			if sent, err := strconv.ParseInt("1"+string(text), 10, 64); err == nil {
				took := time.Since(time.Unix(0, sent))
				r.mu.Lock()
				r.times = append(r.times, took)
				r.mu.Unlock()
			}
		}
	}
}

// close ends all streams.
func (r *readers) close() {
	for _, c := range r.conns {
		_ = c.Close() // most are broken off
	}
	r.wg.Wait()
}

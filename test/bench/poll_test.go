package bench

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// clientsOfAPoll send requests at the same time, each on its own connection.
const clientsOfAPoll = 16

// global are options that the measured configurations share.
const global = `{
	admin off
	persist_config off
	log {
		level WARN
	}
`

// bare is Caddy as a proxy and nothing else.
const bare = global + `}
{$SVC_ADDRESS} {
	reverse_proxy %s
}
`

// wide is the shipped chain; a request rate no client reaches is still counted.
const wide = global + `	svc {
		data_dir "{$SVC_DATA_DIR}"
	}
}
{$SVC_ADDRESS} {
	handle /v1/* {
		route {
			svc_auth {
				rate 1000000 1000000
			}
			svc_access
			svc_projects
			svc_engine
			svc_quota
			reverse_proxy {
				dynamic svc_engine
				transport http {
					expect_continue_timeout 30s
					keepalive off
				}
			}
		}
	}
	handle_errors {
		svc_error
	}
}
`

// pinned returns the arguments that keep a process on one core.
func pinned(t *testing.T, core int) []string {
	t.Helper()
	path, err := exec.LookPath("taskset")
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, "-c", fmt.Sprint(core)}
}

// Of the processor time of a GET through Caddy alone, what a status poll may take, and from
// where a short run fails: a third more than the most that it was measured to take, 0.46 on
// a machine with ten times as much to do as it can.
const (
	pollBudget = 0.36
	pollFails  = 0.60
)

// statusPolls measures the processor time of a status poll against a proxied GET
// of the same record through Caddy alone. In less than three seconds of each, a clock of
// 10 ms and whatever else runs would be a part of the ratio.
func (r *report) statusPolls() {
	t := r.t
	ours := rig.Launch(t, rig.Options{Caddyfile: wide, Prefix: pinned(t, 0)})
	ours.NewUser("bench", "1000")
	key := ours.NewKey("bench")
	sub := ours.Generate(key, ours.NewProject(key))
	ours.Finish(key, sub)
	record := ours.Call(key, http.MethodGet, rig.StatusPath(sub), nil).Body

	peer := rig.NewGateway(t, rig.Options{Caddyfile: fmt.Sprintf(bare, serve(t, record)), Prefix: pinned(t, 0),
		Env: []string{"GOGC=100"}}) // as Caddy comes
	if err := peer.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the bare proxy answers", func() bool {
		a, err := peer.Do(t.Context(), key, http.MethodGet, "/", nil)
		return err == nil && bytes.Equal(a.Body, record)
	})

	var bareCPU, oursCPU, ratios []float64
	for range max(3, r.n(rounds)) {
		last := max(time.Second, r.last(4*time.Second))
		b := cpuPerRequest(t, peer, key, sub, last)
		o := cpuPerRequest(t, ours, key, sub, last)
		bareCPU, oursCPU, ratios = append(bareCPU, b), append(oursCPU, o), append(ratios, o/b)
	}
	ratio := median(ratios)
	s := r.section("Status poll", fmt.Sprintf("Processor time of the gateway's process per GET of a %d-byte status record, %d keep-alive "+
		"clients, the gateway on one core, medians of %d interleaved rounds.", len(record), clientsOfAPoll, len(ratios)),
		"setup", "CPU per request", "against bare Caddy", "budget", "")
	s.row("bare Caddy, reverse_proxy", fmt.Sprintf("%.1f µs", median(bareCPU)), "1.00", "", "")
	s.row("svc: key, rate, decision, mirrored record", fmt.Sprintf("%.1f µs", median(oursCPU)),
		fmt.Sprintf("%.2f", ratio), pollBudget, verdict(ratio <= pollBudget))
	r.hold(ratio <= pollFails, "a status poll takes %.2f of a GET through Caddy alone, want at most %.2f", ratio, pollFails)
}

// serve answers every request with the record, in this process.
func serve(t *testing.T, record []byte) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(record) // a client that left is no failure
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) }) // it ends by Close
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
	return l.Addr().String()
}

// cpuPerRequest polls a job for a while and returns the gateway's processor time
// per request, in microseconds.
func cpuPerRequest(t *testing.T, g *rig.Gateway, key rig.Key, sub api.Submission, last time.Duration) float64 {
	t.Helper()
	flood(t, g, key, sub, last/4) // caches fill, connections open
	before := cpuOf(t, g)
	n := flood(t, g, key, sub, last)
	return float64((cpuOf(t, g) - before).Nanoseconds()) / 1000 / float64(n)
}

func cpuOf(t *testing.T, g *rig.Gateway) time.Duration {
	t.Helper()
	used, err := cpu(g.PID())
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// flood polls a job with several clients and returns how many answers came, all
// of which must be 200.
func flood(t *testing.T, g *rig.Gateway, key rig.Key, sub api.Submission, last time.Duration) int64 {
	t.Helper()
	request := []byte("GET " + rig.StatusPath(sub) + " HTTP/1.1\r\nHost: " + g.Addr + "\r\nX-API-Key: " + key.Secret + "\r\n\r\n")
	end := time.Now().Add(last)
	var answers atomic.Int64
	var wg sync.WaitGroup
	for range clientsOfAPoll {
		wg.Go(func() {
			conn, err := net.Dial("tcp", g.Addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			buf := make([]byte, 16<<10)
			for time.Now().Before(end) {
				if err := exchange(conn, request, buf); err != nil {
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

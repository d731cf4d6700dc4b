package bench

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// global are options that the measured configurations share; a peer has no admin socket.
const (
	global = `{
	admin "unix/{$SVC_DATA_DIR}/run/caddy.sock|0600"
` + others
	apart = `{
	admin off
` + others
	others = `	persist_config off
	log {
		level WARN
	}
`
)

// bare is Caddy as a proxy and nothing else.
const bare = apart + `}
{$SVC_ADDRESS} {
	reverse_proxy %s
}
`

// respond is Caddy with an answer of its own.
const respond = apart + `}
{$SVC_ADDRESS} {
	header Content-Type application/json
	respond ` + "`%s`" + `
}
`

// nginx is nginx with a key in a map.
const nginx = `daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events {
	worker_connections 16384;
}
http {
	access_log off;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	keepalive_requests 1000000000;
	map $http_x_api_key $known {
		default 0;
		%[1]s 1;
	}
	upstream record {
		server %[2]s;
		keepalive 64;
		keepalive_requests 1000000000;
	}
	server {
		listen %[3]s;
		location / {
			if ($known = 0) {
				return 401;
			}
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_pass http://record;
		}
	}
}
`

// haproxy is HAProxy with a key in a map.
const haproxy = `global
	nbthread 1
	maxconn 16384
defaults
	mode http
	timeout connect 5s
	timeout client 1m
	timeout server 1m
	http-reuse always
frontend clients
	bind %[3]s
	http-request deny deny_status 401 unless { req.hdr(X-API-Key),map_str(keys) -m found }
	default_backend record
backend record
	server record %[2]s
`

// wide is the shipped chain; a request rate no client reaches is still counted.
const wide = global + `	svc {
		data_dir "{$SVC_DATA_DIR}"
	}
` + chain

// chain is its site.
const chain = `}
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

// peer is a process that answers the GET of a status record.
type peer struct {
	*rig.Process
	name    string
	addr    string
	request []byte
	cpu     []float64 // µs a request, by round
}

// get returns the bytes of a GET.
func get(addr string, key rig.Key, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", path, addr, key.Secret)
}

// caddy starts a Caddy as it comes.
func (r *report) caddy(name, config string, key rig.Key, path string) *peer {
	g := rig.NewGateway(r.t, rig.Options{Caddyfile: config, Prefix: pinned(r.t, 0), Env: []string{"GOGC=100"}})
	return r.start(&peer{name: name, Process: &g.Process, addr: g.Addr, request: get(g.Addr, key, path)})
}

// packaged starts the proxies that Debian packages, where they are installed. A full run
// has them all.
func (r *report) packaged(record string, key rig.Key, path string) (peers []*peer) {
	t := r.t
	for _, of := range []struct {
		program, name, config string
		args                  []string
	}{
		{"nginx", "nginx with a map of keys", nginx, []string{"-p", ".", "-c", "config"}},
		{"haproxy", "HAProxy with a map of keys", haproxy, []string{"-db", "-f", "config"}},
	} {
		program, err := exec.LookPath("/usr/sbin/" + of.program)
		switch {
		case err != nil && r.full:
			t.Fatalf("%v: run scripts/deps bench", err)
		case err != nil:
			continue
		}
		dir, addr := keep.Dir(t), freeport.Address(t)
		for name, text := range map[string]string{"config": fmt.Sprintf(of.config, key.Secret, record, addr), "keys": key.Secret + " 1\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := &peer{name: of.name, addr: addr, request: get(addr, key, path)}
		p.Process = &rig.Process{Args: append(append(pinned(t, 0), program), of.args...), Dir: dir}
		t.Cleanup(func() {
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				t.Log(p.Log())
			}
		})
		peers = append(peers, r.start(p))
	}
	return peers
}

// start starts a peer and waits until it answers.
func (r *report) start(p *peer) *peer {
	r.t.Helper()
	if err := p.Start(); err != nil {
		r.t.Fatal(err)
	}
	wait.Until(r.t, p.name+" answers", func() bool {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			return false
		}
		defer conn.Close()
		return exchange(conn, p.request, make([]byte, 16<<10)) == nil
	})
	return p
}

// against returns the median of the ratios of each round.
func (p *peer) against(other *peer) float64 {
	ratios := make([]float64, len(p.cpu))
	for i := range ratios {
		ratios[i] = p.cpu[i] / other.cpu[i]
	}
	return median(ratios)
}

// serve answers every request with the record, in this process.
func serve(t *testing.T, record []byte) string {
	return serveAll(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(record) // a client that left is no failure
	}))
}

// serveAll answers every request by a handler, in this process.
func serveAll(t *testing.T, handler http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
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

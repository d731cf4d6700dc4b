package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// program is a caddy that a test starts with a configuration of its own.
type program struct {
	t     *testing.T
	dir   string // where it runs
	admin string // socket of its admin API
	log   bytes.Buffer
	ended chan struct{} // closed when it has
}

// runs starts a command and ends it with the test.
func runs(t *testing.T, cmd *exec.Cmd, admin string) *program {
	t.Helper()
	p := &program{t: t, dir: cmd.Dir, admin: admin, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := child.Start(cmd); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// status asks the admin API for its status, 0 while there is no answer.
func (p *program) status() int {
	p.t.Helper()
	client := http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.admin)
		},
		DisableKeepAlives: true,
	}
	ctx, cancel := wait.Within(p.t.Context(), wait.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/svc/status", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// awaitAdmin waits until the admin API answers, and the configuration runs.
func (p *program) awaitAdmin() {
	p.t.Helper()
	wait.Until(p.t, "the admin API answers", func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("it ended:\n%s", p.log.String())
		default:
		}
		got := p.status()
		return got != 0 && got != http.StatusNotFound
	})
}

// TestTheGatewayOfTheClusterStarts runs the Caddyfile of deploy/kubernetes as its
// image does: where there is the program and nothing else, and no other part of the
// service answers yet.
func TestTheGatewayOfTheClusterStarts(t *testing.T) {
	inOneForm(t)
	shipped, err := os.ReadFile(filepath.Join(root(t), "deploy", "kubernetes", "base", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	data, image, address := keep.Dir(t), t.TempDir(), freeport.Address(t)
	own := peertest.NewAuthority(t).Issue("gateway")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(
		"unix//data/", "unix/"+data+"/", "data_dir /data", "data_dir "+data, ":8080 {", ":"+port+" {", ":9180 {", ":"+freeport.Port(t)+" {",
		"/tls/tls.crt", own.Cert, "/tls/tls.key", own.Key, "/tls/ca.crt", own.CA,
	).Replace(string(shipped))
	if err := os.WriteFile(filepath.Join(image, "Caddyfile"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", bin(t, "caddy"), filepath.Join(image, "caddy")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(filepath.Join(image, "caddy"), "run", "--config", filepath.Join(image, "Caddyfile"), "--adapter", "caddyfile")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + data}
	p := runs(t, cmd, filepath.Join(data, "run", "caddy.sock"))
	p.awaitAdmin()
	if got := p.status(); got != http.StatusServiceUnavailable {
		t.Errorf("without a sidecar its status is %d", got)
	}
	// The liveness probe of the manifest.
	resp, err := http.Get("http://" + address + "/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("its liveness probe is answered %d", resp.StatusCode)
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("it wrote %v where it ran, %v", left, err)
	}
}

// TestIdleConnectionsLeaveFilesToTheService: what one address keeps open must not
// shut out others, nor those who look after the service.
func TestIdleConnectionsLeaveFilesToTheService(t *testing.T) {
	inOneForm(t)
	const files = 256
	data, address := keep.Dir(t), freeport.Address(t)
	cmd := exec.Command("sh", "-c", `ulimit -n "$1" && exec "$2" run --config Caddyfile`, "sh", strconv.Itoa(files), bin(t, "caddy"))
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "SVC_ADDRESS=http://"+address, "SVC_DATA_DIR="+data, "SVC_ENGINE_CHROMIUM=off", "SVC_DECISION_TIMEOUT=10s")
	p := runs(t, cmd, filepath.Join(data, "run", "caddy.sock"))
	p.awaitAdmin()
	for range 3 * files { // more than there are files
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		// One that had a request may be idle for minutes. Those over the bound are closed.
		_, _ = io.WriteString(conn, "GET /openapi.yaml HTTP/1.1\r\nHost: "+address+"\r\n\r\n")
	}
	if got := p.status(); got != http.StatusOK {
		t.Errorf("its status is %d", got)
	}
	from := &http.Transport{
		DialContext:       (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext,
		DisableKeepAlives: true,
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/v1/projects", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := from.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("another address is answered %d", resp.StatusCode)
	}
}

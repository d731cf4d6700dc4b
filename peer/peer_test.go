package peer_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// echo answers with who asked and what was sent.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	who, err := peer.Caller(r)
	if err != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	_, _ = io.WriteString(w, who+" "+r.URL.Path+" "+string(body))
})

func unix(path string) peer.Address { return peer.Address{Network: "unix", Name: path} }

func tcp(addr string) peer.Address { return peer.Address{Network: "tcp", Name: addr} }

func start(t *testing.T, o peer.ServerOptions) *peer.Server {
	t.Helper()
	if o.Handler == nil {
		o.Handler = echo
	}
	s, err := peer.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func client(t *testing.T, o peer.ClientOptions) *peer.Client {
	t.Helper()
	c, err := peer.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// post sends a request and returns status and body.
func post(ctx context.Context, c http.RoundTripper, path, body string) (int, string, error) {
	ctx, cancel := wait.Within(ctx, wait.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://peer"+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header["Idempotency-Key"] = nil
	res, err := c.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	return res.StatusCode, string(out), err
}

func mustPost(t *testing.T, c http.RoundTripper, want string) {
	t.Helper()
	status, body, err := post(t.Context(), c, "/x", "body")
	if err != nil || status != http.StatusOK || !strings.Contains(body, want) {
		t.Errorf("%d %q, %v; want %q", status, body, err, want)
	}
}

func TestRequestsGoOverEitherForm(t *testing.T) {
	socket := unix(filepath.Join(keep.Dir(t), "x.sock"))
	start(t, peer.ServerOptions{Address: socket})
	mustPost(t, client(t, peer.ClientOptions{Address: socket}), "uid:")

	ca := peertest.NewAuthority(t)
	s := start(t, peer.ServerOptions{Address: tcp("127.0.0.1:0"), TLS: ca.Issue("sidecar"), Names: []string{"gateway"}})
	mustPost(t, client(t, peer.ClientOptions{Address: s.Addr(), TLS: ca.Issue("gateway"), ServerName: "sidecar"}), "cert:gateway /x body")
}

func TestSocketAndTokenAreForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	start(t, peer.ServerOptions{Address: unix(path)})
	for _, path := range []string{path, peer.TokenFile(path)} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestRequestWithoutTheTokenIsRefused(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	start(t, peer.ServerOptions{Address: unix(path)})
	bare := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(bare.CloseIdleConnections)
	for _, token := range []string{"", "Bearer ", "Bearer x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://peer/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", token)
		res, err := bare.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: status %d", token, res.StatusCode)
		}
	}
}

func TestCallerThatIsUnknownIsRefused(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://peer/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := peer.Caller(req); err == nil {
		t.Errorf("nobody is %q", who)
	}
	req.TLS = new(tls.ConnectionState)
	if who, err := peer.Caller(req); err == nil {
		t.Errorf("a client without certificate is %q", who)
	}
}

func TestSocketThatCannotBeMadeIsRefusedWithWhatToDo(t *testing.T) {
	dir := keep.Dir(t)
	used := filepath.Join(dir, "used.sock")
	start(t, peer.ServerOptions{Address: unix(used)})
	file := filepath.Join(dir, "file.sock")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		used: "in use by another process",
		file: "is not a socket",
		filepath.Join(dir, strings.Repeat("d", 120)+".sock"): "use a shorter directory",
		filepath.Join(dir, "none", "x.sock"):                 "no such file",
	} {
		s, err := peer.Start(peer.ServerOptions{Address: unix(path), Handler: echo})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file that was there: %q, %v", text, err)
	}
	mustPost(t, client(t, peer.ClientOptions{Address: unix(used)}), "body")
}

func TestSocketOfADeadProcessIsReplaced(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	s := start(t, peer.ServerOptions{Address: unix(path)})
	mustPost(t, client(t, peer.ClientOptions{Address: unix(path)}), "body")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestSocketIsHandedOverUnderLoadWithoutAFailedRequest(t *testing.T) {
	const takeOvers, clients = 10, 8
	path := filepath.Join(keep.Dir(t), "x.sock")
	old := start(t, peer.ServerOptions{Address: unix(path)})
	c := client(t, peer.ClientOptions{Address: unix(path)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				if status, _, err := post(t.Context(), c, "/", "body"); err != nil || status != http.StatusOK {
					t.Errorf("%d, %v", status, err)
					return
				}
			}
		})
	}
	for range takeOvers {
		next := start(t, peer.ServerOptions{Address: unix(path), TakeOver: true})
		wait.For(t, "the old server sees that its socket was taken", old.TakenOver())
		if err := old.Close(); err != nil {
			t.Error(err)
		}
		old = next
	}
	cancel()
	wg.Wait()
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("an old server removed the new one's socket: %v", err)
	}
}

func TestClosingDoesNotWaitForConnectionsThatNoRequestCameOn(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	s := start(t, peer.ServerOptions{Address: unix(path)})
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	// Connections are accepted in their order.
	mustPost(t, client(t, peer.ClientOptions{Address: unix(path)}), "body")
	if err := s.Close(); err != nil {
		t.Errorf("the server waited for what will not come: %v", err)
	}
}

func TestGateHoldsRequestsBackUntilItIsOpened(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	arrived := make(chan struct{}, 1)
	at := func(gate http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			gate.ServeHTTP(w, r)
		})
	}
	gate := peer.NewGate()
	s := start(t, peer.ServerOptions{Address: unix(path), Handler: at(gate)})
	c := client(t, peer.ClientOptions{Address: unix(path)})
	statuses := make(chan int, 2)
	ask := func() {
		status, _, err := post(t.Context(), c, "/", "")
		if err != nil {
			t.Error(err)
		}
		statuses <- status
	}
	held := func() {
		t.Helper()
		go ask()
		<-arrived
		select {
		case status := <-statuses:
			t.Fatalf("a request went through a shut gate: %d", status)
		case <-time.After(50 * time.Millisecond):
		}
	}
	held()
	gate.Open(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	if status := <-statuses; status != http.StatusTeapot {
		t.Errorf("answered %d", status)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = start(t, peer.ServerOptions{Address: unix(path), Handler: at(peer.NewGate())})
	held()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if status := <-statuses; status != http.StatusServiceUnavailable {
		t.Errorf("who waits at a gate that is never opened gets %d, want 503", status)
	}
}

func TestNobodyListeningIsSaidSo(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	c := client(t, peer.ClientOptions{Address: unix(path)})
	if _, _, err := post(t.Context(), c, "/", ""); !errors.Is(err, peer.ErrNotListening) {
		t.Errorf("no socket yet: %v", err)
	}
	s := start(t, peer.ServerOptions{Address: unix(path)})
	mustPost(t, c, "body")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := post(t.Context(), c, "/", ""); !errors.Is(err, peer.ErrNotListening) || !strings.Contains(err.Error(), path) {
		t.Errorf("no socket any more: %v", err)
	}
}

func TestCloseEndsLongRequests(t *testing.T) {
	path := filepath.Join(keep.Dir(t), "x.sock")
	waits := make(chan struct{})
	s := start(t, peer.ServerOptions{Address: unix(path), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(waits)
		select {
		case <-peer.Stopping(r.Context()):
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})})
	c := client(t, peer.ClientOptions{Address: unix(path)})
	answered := make(chan int, 1)
	go func() {
		status, _, _ := post(t.Context(), c, "/", "")
		answered <- status
	}()
	<-waits
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if status := <-answered; status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
}

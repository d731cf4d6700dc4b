package peer_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/wait"
)

// TestPeerWithoutTheRightCertificateIsRefused: and whose end refuses says why, the server in
// its log as a warning, the client in the error that its part logs.
func TestPeerWithoutTheRightCertificateIsRefused(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	ca, other := peertest.NewAuthority(t), peertest.NewAuthority(t)
	s := start(t, peer.ServerOptions{
		Address: tcp("127.0.0.1:0"), TLS: ca.Issue("sidecar"), Names: []string{"gateway", "engines"}, Logger: zap.New(core),
	})
	expired, strange, good := ca.IssueExpired("engines"), other.Issue("gateway"), ca.Issue("gateway")
	for name, tc := range map[string]struct {
		peer.ClientOptions
		logged, said string // by the server, by the client
	}{
		"expired":           {peer.ClientOptions{TLS: expired, ServerName: "sidecar"}, "certificate has expired", ""},
		"another name":      {peer.ClientOptions{TLS: ca.Issue("stranger"), ServerName: "sidecar"}, `the names ["stranger"] and none`, ""},
		"another authority": {peer.ClientOptions{TLS: peer.TLS{Cert: strange.Cert, Key: strange.Key, CA: good.CA}, ServerName: "sidecar"}, "unknown authority", ""},
		"server of another authority": {
			peer.ClientOptions{TLS: peer.TLS{Cert: good.Cert, Key: good.Key, CA: strange.CA}, ServerName: "sidecar"}, "", "unknown authority",
		},
		"server of another name":   {peer.ClientOptions{TLS: good, ServerName: "store"}, "", "valid for sidecar, not store"},
		"server named by its host": {peer.ClientOptions{TLS: good}, "", "127.0.0.1"},
	} {
		tc.Address = s.Addr()
		status, _, err := post(t.Context(), client(t, tc.ClientOptions), "/", "")
		if err == nil || !strings.Contains(err.Error(), tc.said) {
			t.Errorf("%s: status %d, %v; want %q", name, status, err, tc.said)
		}
		wait.Until(t, "the log says why "+name+" is refused", func() bool {
			return tc.logged == "" || logs.FilterMessageSnippet(tc.logged).Len() > 0
		})
	}
	late := other.IssueExpired("sidecar")
	lateServer := start(t, peer.ServerOptions{Address: tcp("127.0.0.1:0"), TLS: peer.TLS{Cert: late.Cert, Key: late.Key, CA: good.CA}, Names: []string{"gateway"}})
	trusting := peer.ClientOptions{Address: lateServer.Addr(), TLS: peer.TLS{Cert: good.Cert, Key: good.Key, CA: late.CA}, ServerName: "sidecar"}
	if status, _, err := post(t.Context(), client(t, trusting), "/", ""); err == nil || !strings.Contains(err.Error(), "certificate has expired") {
		t.Errorf("server that is expired: status %d, %v", status, err)
	}
	plain := &http.Transport{}
	defer plain.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr().Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := plain.RoundTrip(req); err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: status %d", res.StatusCode)
		}
	}
	mustPost(t, client(t, peer.ClientOptions{Address: s.Addr(), TLS: good, ServerName: "sidecar"}), "cert:gateway")
}

func TestTCPWithoutMutualTLSIsRefused(t *testing.T) {
	files := peertest.NewAuthority(t).Issue("sidecar")
	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	if err := os.WriteFile(garbage, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{"gateway"}
	for want, o := range map[string]peer.ServerOptions{
		"names that a client's certificate": {TLS: files},
		"file of the certificate":           {Names: names},
		"file of the key":                   {Names: names, TLS: peer.TLS{Cert: files.Cert, CA: files.CA}},
		"file of the authority":             {Names: names, TLS: peer.TLS{Cert: files.Cert, Key: files.Key}},
		"missing.pem":                       {Names: names, TLS: peer.TLS{Cert: "missing.pem", Key: files.Key, CA: files.CA}},
		"garbage.pem holds no":              {Names: names, TLS: peer.TLS{Cert: files.Cert, Key: files.Key, CA: garbage}},
		"loading the certificate":           {Names: names, TLS: peer.TLS{Cert: garbage, Key: files.Key, CA: files.CA}},
	} {
		o.Address, o.Handler = tcp("127.0.0.1:0"), echo
		s, err := peer.Start(o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("server: %v; want %q", err, want)
		}
		if len(o.Names) == 0 {
			continue
		}
		if _, err := peer.NewClient(peer.ClientOptions{Address: o.Address, TLS: o.TLS}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("client: %v; want %q", err, want)
		}
	}
}

func TestChangedCertificatesAreUsedWithoutARestart(t *testing.T) {
	core, log := observer.New(zap.InfoLevel)
	ca, next := peertest.NewAuthority(t), peertest.NewAuthority(t)
	ours, theirs := ca.Issue("sidecar"), ca.Issue("gateway")
	s := start(t, peer.ServerOptions{
		Address: tcp("127.0.0.1:0"), TLS: ours, Names: []string{"gateway"}, Logger: zap.New(core),
	})
	c := client(t, peer.ClientOptions{Address: s.Addr(), TLS: theirs, ServerName: "sidecar"})
	connects := func(c *peer.Client) bool {
		c.CloseIdle()
		status, _, err := post(t.Context(), c, "/", "")
		return err == nil && status == http.StatusOK
	}

	// Half a file is noticed and changes nothing.
	copyFile(t, ours.Key, ours.Cert)
	wait.Until(t, "the bad file is noticed", func() bool {
		if !connects(c) {
			t.Fatal("a bad file has taken the place of a good one")
		}
		return log.FilterMessage("new TLS files can't be used; keeping the old ones").Len() > 0
	})

	// A new authority on both ends.
	server, gateway := next.Issue("sidecar"), next.Issue("gateway")
	for _, f := range [][2]string{
		{server.Cert, ours.Cert}, {server.Key, ours.Key}, {server.CA, ours.CA},
		{gateway.Cert, theirs.Cert}, {gateway.Key, theirs.Key},
	} {
		copyFile(t, f[0], f[1])
	}
	fresh := client(t, peer.ClientOptions{Address: s.Addr(), TLS: gateway, ServerName: "sidecar"})
	wait.Until(t, "the server goes by the new authority", func() bool { return connects(fresh) })
	wait.Until(t, "the client goes by the new authority", func() bool { return connects(c) })
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestProbesOfAPortAreNotLogged: they come every few seconds, and say nothing. Who speaks
// something else than TLS is logged.
func TestProbesOfAPortAreNotLogged(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	s := start(t, peer.ServerOptions{
		Address: tcp("127.0.0.1:0"), TLS: peertest.NewAuthority(t).Issue("sidecar"), Names: []string{"gateway"}, Logger: zap.New(core),
	})
	for _, said := range []string{"", "GET / HTTP/1.0\r\n\r\n", ""} {
		conn, err := net.Dial("tcp", s.Addr().Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, said); err != nil {
			t.Fatal(err)
		}
		if said != "" {
			_, _ = io.ReadAll(conn) // until it is refused
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil { // which waits for all that connected
		t.Fatal(err)
	}
	if got := logs.FilterMessageSnippet("handshake").Len(); got != 1 {
		t.Errorf("%d handshakes are logged: %v", got, logs.All())
	}
}

package authority_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/authority"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string, now time.Time) *authority.Authorities {
	t.Helper()
	a, err := authority.Open(path, now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAuthorityIsKeptUntilItIsAboutToExpire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.pem")
	first := open(t, path, start).PEM()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, c := range []struct {
		after time.Duration
		kept  bool
	}{{0, true}, {9 * 365 * 24 * time.Hour, true}, {(10*365 - 30) * 24 * time.Hour, false}} {
		a := open(t, path, start.Add(c.after))
		if kept := bytes.Equal(first, a.PEM()); kept != c.kept || (a.Former() == nil) != c.kept {
			t.Errorf("after %s kept: %t", c.after, kept)
		}
	}
}

func TestFileThatIsNoAuthorityIsRefusedAndNotOverwritten(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.pem")
	cert, key, err := open(t, own, start).Current().Issue("01JD0000000000000000000000")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"nothing": nil, "another text": []byte("hello"), "a certificate without a key": cert, "an engine's": append(cert, key...),
	} {
		path := filepath.Join(t.TempDir(), "authority.pem")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := authority.Open(path, start); err == nil {
			t.Errorf("%s was taken for an authority", name)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s was overwritten: %v", name, err)
		}
	}
}

func TestCertificateNamesItsInstanceAndIssuesNoOther(t *testing.T) {
	const instance = "01JD0000000000000000000000"
	a := open(t, filepath.Join(t.TempDir(), "authority.pem"), start)
	raw, key, err := a.Current().Issue(instance)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(raw, key); err != nil {
		t.Error(err)
	}
	block, _ := pem.Decode(raw)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM())
	for name, good := range map[string]bool{
		contract.EngineName(instance): true, contract.EngineName("01JD0000000000000000000001"): false, contract.ProxyName: false,
	} {
		for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
			_, err := cert.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: start, KeyUsages: []x509.ExtKeyUsage{use}})
			if (err == nil) != good {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if cert.IsCA || cert.KeyUsage&x509.KeyUsageCertSign != 0 {
		t.Error("an engine can issue certificates")
	}
	// Machines' clocks are not the same.
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: start.Add(-30 * time.Minute)}); err != nil {
		t.Errorf("half an hour before: %v", err)
	}
}

// handshake has an engine with a certificate of an authority, which believes those in roots, ask
// the engine proxy.
func handshake(t *testing.T, a *authority.Authorities, by *authority.Authority, roots []byte) error {
	t.Helper()
	const instance = "01JD0000000000000000000000"
	cert, key, err := by.Issue(instance)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(roots)
	here, there := net.Pipe()
	defer here.Close()
	at := func() time.Time { return start.Add(time.Hour) }
	server := a.Server()
	get := server.GetConfigForClient
	server.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		config, err := get(hello)
		config.Time = at
		return config, err
	}
	client := tls.Client(here, &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ServerName: contract.ProxyName, Time: at})
	refused := make(chan error, 1)
	go func() {
		defer there.Close()
		refused <- tls.Server(there, server).HandshakeContext(t.Context())
	}()
	if err := client.HandshakeContext(t.Context()); err != nil {
		here.Close()
		return errors.Join(err, <-refused)
	}
	go func() { _, _ = client.Read(make([]byte, 1)) }() // a refusal comes after its handshake
	return <-refused
}

// TestRemovedAuthorityIsReplacedAndTheFormerOneCountsUntilItIsRetired: over restarts as well.
func TestRemovedAuthorityIsReplacedAndTheFormerOneCountsUntilItIsRetired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.pem")
	a := open(t, path, start)
	if replaced, err := a.Look(start); replaced || err != nil {
		t.Fatalf("without a reason: %t, %v", replaced, err)
	}
	former, roots := a.Current(), a.PEM()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if replaced, err := a.Look(start); !replaced || err != nil {
		t.Fatalf("removed: %t, %v", replaced, err)
	}
	for _, file := range []string{"authority.pem", "authority-former.pem"} {
		if info, err := os.Stat(filepath.Join(filepath.Dir(path), file)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	for range 2 {
		if a.Current().Name() == former.Name() || a.Former().Name() != former.Name() {
			t.Fatalf("%s issues after %s", a.Current().Name(), former.Name())
		}
		if a.By(former.Name()) != a.Former() || a.By("") != a.Former() || a.By(a.Current().Name()) != a.Current() {
			t.Error("an engine is taken for another authority's")
		}
		if err := handshake(t, a, a.Former(), roots); err != nil {
			t.Errorf("an engine of before: %v", err)
		}
		if err := handshake(t, a, a.Current(), a.PEM()); err != nil {
			t.Errorf("an engine of now: %v", err)
		}
		a = open(t, path, start) // a restart
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if replaced, err := a.Look(start); replaced || !errors.Is(err, authority.ErrFormer) {
		t.Errorf("a third one: %t, %v", replaced, err)
	}
	both := a.PEM()
	if err := a.Retire(); err != nil {
		t.Fatal(err)
	}
	if replaced, err := a.Look(start); !replaced || err != nil {
		t.Fatalf("once the first is retired: %t, %v", replaced, err)
	}
	if err := a.Retire(); err != nil {
		t.Fatal(err)
	}
	if a = open(t, path, start); a.Former() != nil {
		t.Error("a restart finds a retired one")
	}
	for name, roots := range map[string][]byte{"of the first": both, "of the last": a.PEM()} {
		if err := handshake(t, a, former, roots); err == nil {
			t.Errorf("an engine of a retired authority that believes those %s gets in", name)
		}
	}
}

func TestAuthorityThatWasMovedAsideWhileNobodyLookedIsTheFormer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.pem")
	former := open(t, path, start).Current().Name()
	if err := os.Rename(path, filepath.Join(filepath.Dir(path), "authority-former.pem")); err != nil {
		t.Fatal(err)
	}
	if a := open(t, path, start); a.Former() == nil || a.Former().Name() != former || a.Current().Name() == former {
		t.Errorf("the former one is %v", a.Former())
	}
}

package authority_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/authority"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string, now time.Time) *authority.Authority {
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
		if kept := bytes.Equal(first, open(t, path, start.Add(c.after)).PEM()); kept != c.kept {
			t.Errorf("after %s kept: %t", c.after, kept)
		}
	}
}

func TestFileThatIsNoAuthorityIsRefusedAndNotOverwritten(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.pem")
	cert, key, err := open(t, own, start).Issue("01JD0000000000000000000000")
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
	raw, key, err := a.Issue(instance)
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

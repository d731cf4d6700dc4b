package contract

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/freeport"
)

// authority issues certificates, as that of an installation does.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.key = a.newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "suite"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue makes a certificate that bears a name, for either end.
func (a *authority) issue(name string) tls.Certificate {
	a.t.Helper()
	key := a.newKey()
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// remote is how an engine of another machine is reached.
type remote struct {
	*authority
	address string
	proxy   tls.Certificate // the engine proxy's
}

// newRemote makes a project whose engine will listen at a port.
func newRemote(t *testing.T, target Target) *engine {
	t.Helper()
	e := newEngine(t, target)
	e.remote = &remote{authority: newAuthority(t)}
	e.remote.proxy = e.remote.issue(wire.ProxyName)
	return e
}

// flags are those of the next start: a free port, and files with a certificate
// of its instance.
func (r *remote) flags(e *engine) []string {
	e.t.Helper()
	r.address = freeport.Address(e.t)
	cert := r.issue(wire.EngineName(e.instanceID))
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		e.t.Fatal(err)
	}
	args := []string{"--listen", r.address}
	for _, f := range []struct {
		flag, kind string
		der        []byte
	}{{"tls-cert", "CERTIFICATE", cert.Certificate[0]}, {"tls-key", "PRIVATE KEY", key}, {"tls-ca", "CERTIFICATE", r.cert.Raw}} {
		path := filepath.Join(e.dir, f.flag+".pem")
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der}), 0o600); err != nil {
			e.t.Fatal(err)
		}
		args = append(args, "--"+f.flag, path)
	}
	return args
}

// transport reaches the engine that was started last, and asks it for its
// instance's certificate. shown is what it shows itself.
func (r *remote) transport(e *engine, shown ...tls.Certificate) *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: r.pool(), ServerName: wire.EngineName(e.instanceID),
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if len(shown) == 0 {
				return new(tls.Certificate), nil
			}
			return &shown[0], nil // also when the engine asks for other authorities
		},
	}}
}

package contract

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"testing"

	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/authority"
	"github.com/svc-games/svc/test/freeport"
)

// remote is how an engine of another machine is reached.
type remote struct {
	t       *testing.T
	certs   *authority.Authority
	address string
	proxy   tls.Certificate // the engine proxy's
}

// newRemote makes a project whose engine will listen at a port.
func newRemote(t *testing.T, target Target) *engine {
	t.Helper()
	e := newEngine(t, target)
	e.remote = newInstallation(t)
	e.remote.proxy = e.remote.issue(wire.ProxyName)
	return e
}

// newInstallation has an authority as an installation does, and no engine yet.
func newInstallation(t *testing.T) *remote {
	t.Helper()
	certs, err := authority.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &remote{t: t, certs: certs}
}

// issue makes a certificate that bears a name, for either end.
func (r *remote) issue(name string) tls.Certificate {
	r.t.Helper()
	cert, err := r.certs.Issue(name, pkix.Name{}, name)
	if err != nil {
		r.t.Fatal(err)
	}
	return cert
}

// flags are those of the next start: a free port, and files with a certificate
// of its instance.
func (r *remote) flags(e *engine) []string {
	e.t.Helper()
	r.address = freeport.Address(e.t)
	name := wire.EngineName(e.instanceID)
	r.issue(name)
	return []string{
		"--listen", r.address, "--tls-cert", r.certs.Path(name + ".crt"), "--tls-key", r.certs.Path(name + ".key"),
		"--tls-ca", r.certs.Path(authority.CA),
	}
}

func (r *remote) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.certs.Cert)
	return pool
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

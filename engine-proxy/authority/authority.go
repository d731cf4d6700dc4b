// Package authority issues the certificates by which the engine proxy and the
// engines of other machines know one another. It is an installation's own: its
// key stays in one file of the engine proxy's, beside the journals that it is
// as secret as. Engines get certificates that bear their instance's name, and
// the engine proxy one that bears its own; who may do what, the name decides.
package authority

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

const (
	// lifetime is that of an authority, and of all that it issues: an engine
	// may work for as long, and what a certificate is good for ends with its
	// instance, not with a date.
	lifetime = 10 * 365 * 24 * time.Hour
	// renewal is how long before its end an authority is replaced.
	renewal = 90 * 24 * time.Hour
	// skew is how far the clocks of machines may be apart.
	skew = time.Hour
)

// PEM blocks of the file.
const (
	blockCert = "CERTIFICATE"
	blockKey  = "PRIVATE KEY"
)

// Authority issues certificates. It is safe for concurrent use.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
	pool *x509.CertPool
	own  tls.Certificate // the engine proxy's
}

// Open reads the authority kept at path, and makes one where there is none or
// where it is about to expire. Nobody else may do so at the same time. Engines
// that were started with another authority can't be reached any more.
func Open(path string, now time.Time) (*Authority, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the engines' authority: %w", err)
	}
	if err == nil {
		a, err := decode(raw)
		if err != nil {
			return nil, fmt.Errorf("reading the engines' authority %s: %w", path, err)
		}
		if now.Before(a.cert.NotAfter.Add(-renewal)) {
			return a, a.introduce()
		}
	}
	a, raw, err := generate(now)
	if err != nil {
		return nil, fmt.Errorf("making the engines' authority: %w", err)
	}
	if err := durable.Replace(path, raw); err != nil {
		return nil, fmt.Errorf("keeping the engines' authority: %w", err)
	}
	return a, a.introduce()
}

// generate makes an authority and what its file holds.
func generate(now time.Time) (*Authority, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "svc engines"},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, nil, err
	}
	raw := append(pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: der}), keyPEM...)
	a, err := decode(raw)
	return a, raw, err
}

// decode reads what the file holds.
func decode(raw []byte) (*Authority, error) {
	pair, err := tls.X509KeyPair(raw, raw)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("the file holds something else")
	}
	a := &Authority{cert: pair.Leaf, key: key, pool: x509.NewCertPool()}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: pair.Leaf.Raw})
	a.pool.AddCert(pair.Leaf)
	return a, nil
}

// introduce gives the engine proxy a certificate. Its key is never on disk.
func (a *Authority) introduce() error {
	cert, key, err := a.issue(contract.ProxyName)
	if err != nil {
		return err
	}
	if a.own, err = tls.X509KeyPair(cert, key); err != nil {
		return fmt.Errorf("reading the engine proxy's certificate: %w", err)
	}
	return nil
}

// PEM returns the authority's certificate, for those who check others.
func (a *Authority) PEM() []byte { return bytes.Clone(a.pem) }

// Issue makes the certificate and the key of an engine instance, in PEM.
func (a *Authority) Issue(instanceID string) (cert, key []byte, err error) {
	return a.issue(contract.EngineName(instanceID))
}

// issue makes a certificate for either end of a connection.
func (a *Authority) issue(name string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key for %s: %w", name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		Subject:   pkix.Name{CommonName: name},
		DNSNames:  []string{name},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, &private.PublicKey, a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("issuing a certificate for %s: %w", name, err)
	}
	if key, err = encodeKey(private); err != nil {
		return nil, nil, fmt.Errorf("encoding the key of %s: %w", name, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: der}), key, nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: blockKey, Bytes: der}), nil
}

// Client returns what the engine proxy connects to an instance with: the
// instance must show its certificate.
func (a *Authority) Client(instanceID string) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{a.own},
		RootCAs:      a.pool,
		ServerName:   contract.EngineName(instanceID),
	}
}

// Server returns what the engine proxy serves engines with: they must show a
// certificate of the authority, and the caller looks at the name in it.
func (a *Authority) Server() *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{a.own},
		ClientCAs:              a.pool,
		ClientAuth:             tls.RequireAndVerifyClientCert,
		SessionTicketsDisabled: true, // a resumed session could outlive its instance
	}
}

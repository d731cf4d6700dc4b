// Package authority issues the certificates by which the engine proxy and the
// engines of other machines know one another. It is an installation's own: its
// key stays in one file of the engine proxy's, beside the journals that it is
// as secret as. Engines get certificates that bear their instance's name, and
// the engine proxy one that bears its own; who may do what, the name decides.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api/contract"
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
	file []byte // as it is kept
	pem  []byte
	pool *x509.CertPool
	own  tls.Certificate // the engine proxy's
}

// Name tells it from others: what it issued is told by it.
func (a *Authority) Name() string {
	sum := sha256.Sum256(a.cert.Raw)
	return hex.EncodeToString(sum[:8])
}

// generate makes an authority.
func generate(now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "svc engines"},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	return decode(append(pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: der}), keyPEM...))
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
	a := &Authority{cert: pair.Leaf, key: key, file: raw, pool: x509.NewCertPool()}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: pair.Leaf.Raw})
	a.pool.AddCert(pair.Leaf)
	return a, a.introduce()
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

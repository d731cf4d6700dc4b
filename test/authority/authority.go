// Package authority issues the certificates that tests show.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// lifetime is longer than any test run.
const lifetime = 24 * time.Hour

// CA is the file of an authority's own certificate.
const CA = "ca.crt"

// Authority signs certificates, which it keeps in one folder.
type Authority struct {
	Cert *x509.Certificate
	// Until is when what is issued from now on expires; default: with the authority.
	Until time.Time

	key *ecdsa.PrivateKey
	dir string
}

// New makes an authority that keeps its files in dir.
func New(dir string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the authority's key: %w", err)
	}
	a := &Authority{key: key, dir: dir}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err == nil {
		a.Cert, err = x509.ParseCertificate(der)
	}
	if err = errors.Join(err, a.write(CA, "CERTIFICATE", der)); err != nil {
		return nil, fmt.Errorf("making the authority's certificate: %w", err)
	}
	return a, nil
}

// Path returns where a file lies: CA, or NAME.crt and NAME.key of what was issued.
func (a *Authority) Path(file string) string { return filepath.Join(a.dir, file) }

// Issue makes a certificate for either end of a connection, good for hosts, which are
// names or addresses. It is kept by a name of its own; issuing one of the same name
// again replaces it.
func (a *Authority) Issue(name string, subject pkix.Name, hosts ...string) (tls.Certificate, error) {
	template := &x509.Certificate{
		Subject:   subject,
		NotBefore: a.Cert.NotBefore, NotAfter: a.Cert.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if !a.Until.IsZero() {
		template.NotAfter = a.Until
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a key for %s: %w", name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("issuing a certificate for %s: %w", name, err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	err = errors.Join(err, a.write(name+".crt", "CERTIFICATE", der), a.write(name+".key", "PRIVATE KEY", raw))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func (a *Authority) write(file, kind string, der []byte) error {
	return os.WriteFile(a.Path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

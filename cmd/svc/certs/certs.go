// Package certs makes the certificates by which the parts of the service know each other.
package certs

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
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Names of the authority's files. Those of a part are NAME.pem and NAME.key.
const (
	authorityName = "ca"
	certSuffix    = ".pem"
	keySuffix     = ".key"
)

const (
	authorityTime = 10 * 365 * 24 * time.Hour
	// partTime is how long a part's certificate is good: renewing is one command, and parts
	// read new files by themselves.
	partTime = 365 * 24 * time.Hour
	// early is how far clocks of two machines may be apart.
	early = time.Hour
)

// Parts are the names that each set has: of gateways, sidecars, engine proxies, and of
// Prometheus.
var Parts = []string{"gateway", "sidecar", "engines", "monitor"}

// ErrThere: a folder has an authority already.
var ErrThere = errors.New("there are certificates already")

// Part is a certificate of a folder.
type Part struct {
	Name  string    `json:"name"`
	Hosts []string  `json:"hosts"` // further names and addresses
	Until time.Time `json:"until"`
}

var (
	partName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)
	hostName = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)
)

// Init makes an authority in a folder, and a certificate of it for each name, with the
// further hosts at which that part is reached. It makes the folder, for its owner only, and
// changes nothing where an authority is.
func Init(dir string, hosts map[string][]string, now time.Time) ([]Part, error) {
	for name, more := range hosts {
		if !partName.MatchString(name) || name == authorityName {
			return nil, fmt.Errorf("%q can't be the name of a part: want letters, digits, dots and dashes", name)
		}
		for _, host := range more {
			if net.ParseIP(host) == nil && !hostName.MatchString(host) {
				return nil, fmt.Errorf("%q can't be the host of %s: want a name or an address, without a port", host, name)
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, authorityName+certSuffix)); err == nil {
		return nil, fmt.Errorf("%s: %w", dir, ErrThere)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of certificates: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the authority's key: %w", err)
	}
	a := &authority{dir: dir, key: key, now: now}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "svc authority"}, NotBefore: now.Add(-early), NotAfter: now.Add(authorityTime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		return nil, fmt.Errorf("making the authority: %w", err)
	}
	var made []Part
	for name, more := range hosts {
		part, err := a.issue(name, more)
		if err != nil {
			return nil, err
		}
		made = append(made, part)
	}
	if err := a.write(authorityName, der, key); err != nil { // last: where it is, all are
		return nil, fmt.Errorf("making the authority: %w", err)
	}
	sortParts(made)
	return made, nil
}

// Renew makes a new certificate and key for each part of a folder, with the same names, by
// the authority that is there. Parts that follow the files take them up without a restart.
func Renew(dir string, now time.Time) ([]Part, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, authorityName+certSuffix), filepath.Join(dir, authorityName+keySuffix))
	if err != nil {
		return nil, fmt.Errorf("reading the authority: %w", err)
	}
	key, is := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !is || now.Add(partTime).After(pair.Leaf.NotAfter) {
		return nil, errors.New("the authority was not made by svc certs, or ends within a year: make another folder, " +
			"and give parts both authorities in one file until all have changed")
	}
	a := &authority{dir: dir, key: key, cert: pair.Leaf, now: now}
	paths, err := filepath.Glob(filepath.Join(dir, "*"+certSuffix))
	if err != nil {
		return nil, fmt.Errorf("listing certificates: %w", err)
	}
	var made []Part
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), certSuffix)
		if name == authorityName {
			continue
		}
		before, err := Read(path)
		if err != nil {
			return made, err
		}
		part, err := a.issue(name, before.Hosts)
		if err != nil {
			return made, err
		}
		made = append(made, part)
	}
	sortParts(made)
	return made, nil
}

// Read returns what a certificate says.
func Read(path string) (Part, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Part{}, fmt.Errorf("reading a certificate: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != "CERTIFICATE" {
		return Part{}, fmt.Errorf("%s holds no certificate", path)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err == nil && len(cert.DNSNames) == 0 {
		err = errors.New("it bears no name")
	}
	if err != nil {
		return Part{}, fmt.Errorf("reading the certificate %s: %w", path, err)
	}
	p := Part{Name: cert.DNSNames[0], Hosts: cert.DNSNames[1:], Until: cert.NotAfter}
	for _, ip := range cert.IPAddresses {
		p.Hosts = append(p.Hosts, ip.String())
	}
	return p, nil
}

func sortParts(parts []Part) {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
}

// authority signs certificates.
type authority struct {
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	now  time.Time
}

// issue makes a certificate for either end of a connection. Its first name is the part's.
func (a *authority) issue(name string, hosts []string) (Part, error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: a.now.Add(-early), NotAfter: a.now.Add(partTime),
		DNSNames: []string{name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
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
		return Part{}, fmt.Errorf("making a key for %s: %w", name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err == nil {
		err = a.write(name, der, key)
	}
	if err != nil {
		return Part{}, fmt.Errorf("making a certificate for %s: %w", name, err)
	}
	return Part{Name: name, Hosts: hosts, Until: template.NotAfter}, nil
}

// write writes certificate and key, each all or nothing. Who reads between the two finds
// that they don't fit, and keeps what it had.
func (a *authority) write(name string, cert []byte, key *ecdsa.PrivateKey) error {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		replace(filepath.Join(a.dir, name+keySuffix), &pem.Block{Type: "PRIVATE KEY", Bytes: raw}, 0o600),
		replace(filepath.Join(a.dir, name+certSuffix), &pem.Block{Type: "CERTIFICATE", Bytes: cert}, 0o644))
}

func replace(path string, block *pem.Block, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = errors.Join(pem.Encode(f, block), f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

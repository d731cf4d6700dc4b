package fakeengine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"slices"

	"github.com/svc-games/svc/api/contract"
)

// Secrets are what an engine has that is reached over TCP, in PEM.
type Secrets struct{ Cert, Key, CA []byte }

// ReadSecrets reads them from their files.
func ReadSecrets(cert, key, ca string) (s Secrets, err error) {
	for path, into := range map[string]*[]byte{cert: &s.Cert, key: &s.Key, ca: &s.CA} {
		if *into, err = os.ReadFile(path); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s Secrets) load() (tls.Certificate, *x509.CertPool, error) {
	cert, err := tls.X509KeyPair(s.Cert, s.Key)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(s.CA) {
		err = errors.Join(err, errors.New("the authority is no certificate"))
	}
	return cert, pool, err
}

// Server is what the engine listens with: it lets the engine proxy in.
func (s Secrets) Server() (*tls.Config, error) {
	cert, pool, err := s.load()
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert},
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		VerifyConnection: func(state tls.ConnectionState) error {
			if !slices.Contains(state.PeerCertificates[0].DNSNames, contract.ProxyName) {
				return errors.New("the client is not the engine proxy")
			}
			return nil
		},
	}, err
}

// Client is what the engine asks for models with.
func (s Secrets) Client() (*tls.Config, error) {
	cert, pool, err := s.load()
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}, RootCAs: pool, ServerName: contract.ProxyName,
	}, err
}

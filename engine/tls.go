package engine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/svc-games/svc/api/contract"
)

// tlsFiles name the PEM files of an engine that is reached over TCP: its
// certificate, which names its instance, its key, and the authority that the
// engine proxy's certificate comes from.
type tlsFiles struct{ Cert, Key, CA string }

func (f tlsFiles) load() (tls.Certificate, *x509.CertPool, error) {
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return cert, nil, fmt.Errorf("loading the engine's certificate: %w", err)
	}
	pem, err := os.ReadFile(f.CA)
	if err != nil {
		return cert, nil, fmt.Errorf("loading the authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return cert, nil, fmt.Errorf("loading the authority: %s holds no certificate in PEM", f.CA)
	}
	return cert, pool, nil
}

// server is what the engine listens with. Other engines have certificates of
// the same authority: the engine proxy's name lets in, and no other.
func (f tlsFiles) server() (*tls.Config, error) {
	cert, pool, err := f.load()
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{cert},
		ClientCAs:              pool,
		ClientAuth:             tls.RequireAndVerifyClientCert,
		SessionTicketsDisabled: true,
		VerifyConnection:       fromProxy,
	}, nil
}

func fromProxy(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 || !slices.Contains(state.PeerCertificates[0].DNSNames, contract.ProxyName) {
		return errors.New("the client is not the engine proxy")
	}
	return nil
}

// client is what the engine asks for models with.
func (f tlsFiles) client() (*tls.Config, error) {
	cert, pool, err := f.load()
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{cert},
		RootCAs:      pool,
		ServerName:   contract.ProxyName,
	}, nil
}

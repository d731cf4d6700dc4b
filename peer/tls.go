package peer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// rereadAfter is how old what was read of the files may be.
const rereadAfter = time.Second

// TLS names the PEM files of one end of mutual TLS. They are read again when
// they change; while the new ones can't be used, the old ones stay.
type TLS struct {
	// Cert and Key are this end's certificate, with its chain, and its key.
	Cert, Key string
	// CA holds the authorities that the other end's certificate must come from.
	CA string
}

func (t TLS) validate() error {
	for _, file := range []struct{ path, what string }{
		{t.Cert, "certificate"}, {t.Key, "key"}, {t.CA, "authority"},
	} {
		if file.path == "" {
			return fmt.Errorf("TCP needs mutual TLS: the file of the %s is not named", file.what)
		}
	}
	return nil
}

// Check returns why the files can't be used.
func (t TLS) Check() error {
	_, err := newKeeper(t, zap.NewNop())
	return err
}

func (t TLS) paths() [3]string { return [3]string{t.Cert, t.Key, t.CA} }

// credentials is what the files hold.
type credentials struct {
	cert tls.Certificate
	ca   *x509.CertPool
}

// keeper keeps credentials up to date with their files.
type keeper struct {
	files  TLS
	logger *zap.Logger
	now    func() time.Time

	mu      sync.Mutex // guards the following fields
	current credentials
	seen    [3]fs.FileInfo // as of the last attempt to read them
	looked  time.Time
}

func newKeeper(files TLS, logger *zap.Logger) (*keeper, error) {
	if err := files.validate(); err != nil {
		return nil, err
	}
	k := &keeper{files: files, logger: logger, now: time.Now}
	var err error
	if k.seen, err = k.stat(); err != nil {
		return nil, err
	}
	k.current, err = k.load()
	k.looked = k.now()
	return k, err
}

// get returns what the files hold, or held when they last could be used.
func (k *keeper) get() credentials {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now().Sub(k.looked) < rereadAfter {
		return k.current
	}
	k.looked = k.now()
	seen, err := k.stat()
	if err == nil && slices.EqualFunc(seen[:], k.seen[:], unchanged) {
		return k.current
	}
	var loaded credentials
	if err == nil {
		loaded, err = k.load()
	}
	if err != nil {
		// The files are replaced one after the other; the next look finds all.
		k.logger.Warn("new TLS files can't be used; keeping the old ones", zap.Error(err))
		return k.current
	}
	k.logger.Info("TLS files were read again", zap.String("cert", k.files.Cert))
	k.current, k.seen = loaded, seen
	return k.current
}

func (k *keeper) stat() (seen [3]fs.FileInfo, err error) {
	for i, path := range k.files.paths() {
		if seen[i], err = os.Stat(path); err != nil {
			return seen, fmt.Errorf("looking for TLS files: %w", err)
		}
	}
	return seen, nil
}

func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

func (k *keeper) load() (c credentials, err error) {
	if c.cert, err = tls.LoadX509KeyPair(k.files.Cert, k.files.Key); err != nil {
		return c, fmt.Errorf("loading the certificate %s with the key %s: %w", k.files.Cert, k.files.Key, err)
	}
	pem, err := os.ReadFile(k.files.CA)
	if err != nil {
		return c, fmt.Errorf("loading the authority: %w", err)
	}
	c.ca = x509.NewCertPool()
	if !c.ca.AppendCertsFromPEM(pem) {
		return c, fmt.Errorf("loading the authority: %s holds no certificate in PEM", k.files.CA)
	}
	return c, nil
}

// server returns the configuration of a listener whose clients' certificates
// must bear one of names.
func (k *keeper) server(names []string) *tls.Config {
	config := func(*tls.ClientHelloInfo) (*tls.Config, error) {
		c := k.get()
		return &tls.Config{
			MinVersion:             tls.VersionTLS13,
			Certificates:           []tls.Certificate{c.cert},
			ClientCAs:              c.ca,
			ClientAuth:             tls.RequireAndVerifyClientCert,
			SessionTicketsDisabled: true, // a resumed session would outlive its authority
			VerifyConnection:       func(state tls.ConnectionState) error { return verifyName(state, names) },
		}, nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: config}
}

// client returns the configuration of one connection to a server that must
// bear name.
func (k *keeper) client(name string) *tls.Config {
	c := k.get()
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{c.cert},
		RootCAs:      c.ca,
		ServerName:   name,
	}
}

// verifyName refuses a peer whose certificate bears none of the names.
func verifyName(state tls.ConnectionState, names []string) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the peer shows no certificate")
	}
	leaf := state.PeerCertificates[0]
	for _, name := range leaf.DNSNames {
		if slices.Contains(names, name) {
			return nil
		}
	}
	return fmt.Errorf("the peer's certificate bears the names %q and none of those that may connect", leaf.DNSNames)
}

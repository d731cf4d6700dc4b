// Package peertest makes what tests of peers need: an authority with
// certificates.
package peertest

import (
	"crypto/x509/pkix"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/test/authority"
)

// Authority signs certificates for one test.
type Authority struct {
	t     testing.TB
	certs *authority.Authority
}

// NewAuthority makes an authority whose files are in a directory of the test.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	certs, err := authority.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Authority{t, certs}
}

// Issue makes a certificate that bears a name, for either end, and returns
// the files of a peer that shows it. Issuing the same name again replaces them.
func (a *Authority) Issue(name string) peer.TLS {
	a.t.Helper()
	if _, err := a.certs.Issue(name, pkix.Name{}, name); err != nil {
		a.t.Fatal(err)
	}
	return peer.TLS{Cert: a.certs.Path(name + ".crt"), Key: a.certs.Path(name + ".key"), CA: a.certs.Path(authority.CA)}
}

// IssueExpired is Issue of a certificate that was good until a minute ago.
func (a *Authority) IssueExpired(name string) peer.TLS {
	a.t.Helper()
	a.certs.Until = time.Now().Add(-time.Minute)
	defer func() { a.certs.Until = time.Time{} }()
	return a.Issue(name)
}

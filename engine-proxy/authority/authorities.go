package authority

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// ErrFormer is returned where another authority is wanted while engines of the one before the
// last still run: none of the three could be left out.
var ErrFormer = errors.New("engines of the authority before this one still run: stop them first (svc engines stop)")

// Authorities are the one that issues certificates, and the one before it for as long as
// engines have certificates of it. They are safe for concurrent use, but for Look and Retire,
// which one calls at a time.
type Authorities struct {
	path string
	kept atomic.Pointer[kept]
}

// kept is what the files hold. It never changes.
type kept struct {
	current *Authority
	former  *Authority // nil for none
}

// Open reads the authorities that are kept at path and beside it, and makes one where there is
// none or where it is about to expire. Nobody else may do so at the same time.
func Open(path string, now time.Time) (*Authorities, error) {
	a := &Authorities{path: path}
	current, err := read(path)
	if err != nil {
		return nil, err
	}
	former, err := read(a.formerPath())
	if err != nil {
		return nil, err
	}
	if current != nil && !current.ending(now) {
		a.kept.Store(&kept{current, former})
		return a, nil
	}
	if current == nil {
		current = former // its file was removed, or moved there
	}
	return a, a.replace(current, now)
}

// formerPath is where the one before the last is kept.
func (a *Authorities) formerPath() string { return strings.TrimSuffix(a.path, ".pem") + "-former.pem" }

// read returns what a file holds, nil where there is none.
func read(path string) (*Authority, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the engines' authority: %w", err)
	}
	a, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the engines' authority %s: %w", path, err)
	}
	return a, nil
}

// ending reports whether it is to be replaced.
func (a *Authority) ending(now time.Time) bool { return !now.Before(a.cert.NotAfter.Add(-renewal)) }

// replace makes another authority. The former one, nil for none, is on the disk before it.
func (a *Authorities) replace(former *Authority, now time.Time) error {
	next, err := generate(now)
	if err != nil {
		return fmt.Errorf("making the engines' authority: %w", err)
	}
	if former != nil {
		if err := durable.Replace(a.formerPath(), former.file); err != nil {
			return fmt.Errorf("keeping the engines' former authority: %w", err)
		}
	}
	if err := durable.Replace(a.path, next.file); err != nil {
		return fmt.Errorf("keeping the engines' authority: %w", err)
	}
	a.kept.Store(&kept{next, former})
	return nil
}

// Look makes another authority when the file of this one was removed, or when it is about to
// expire. Engines that run keep theirs: Former is it from then on.
func (a *Authorities) Look(now time.Time) (replaced bool, err error) {
	k := a.kept.Load()
	if _, err := os.Stat(a.path); !errors.Is(err, fs.ErrNotExist) && !k.current.ending(now) {
		if err != nil {
			return false, fmt.Errorf("looking at the engines' authority: %w", err)
		}
		return false, nil
	}
	if k.former != nil {
		return false, ErrFormer
	}
	return true, a.replace(k.current, now)
}

// Retire forgets the former authority: what it issued opens nothing more.
func (a *Authorities) Retire() error {
	if err := os.Remove(a.formerPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forgetting the engines' former authority: %w", err)
	}
	a.kept.Store(&kept{current: a.kept.Load().current})
	return nil
}

// Current is the one that issues.
func (a *Authorities) Current() *Authority { return a.kept.Load().current }

// Former is the one before, nil where no engine has a certificate of it.
func (a *Authorities) Former() *Authority { return a.kept.Load().former }

// By returns the authority of a name, by which an engine was started; those of former versions
// have none. One that is gone is as good as the current one.
func (a *Authorities) By(name string) *Authority {
	k := a.kept.Load()
	if k.former != nil && (name == "" || name == k.former.Name()) {
		return k.former
	}
	return k.current
}

// PEM returns the certificates of all, for those who check others: while there is a former one,
// the engine proxy shows that one's.
func (a *Authorities) PEM() []byte {
	k := a.kept.Load()
	if k.former == nil {
		return slices.Clone(k.current.pem)
	}
	return slices.Concat(k.current.pem, k.former.pem)
}

// Server returns what the engine proxy serves engines with: they must show a certificate of an
// authority, and the caller looks at the name in it. It shows what all that run believe.
func (a *Authorities) Server() *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		ClientAuth:             tls.RequireAndVerifyClientCert,
		SessionTicketsDisabled: true, // a resumed session could outlive its instance
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			k := a.kept.Load()
			shown, pool := k.current, x509.NewCertPool()
			pool.AddCert(k.current.cert)
			if k.former != nil {
				shown = k.former
				pool.AddCert(k.former.cert)
			}
			return &tls.Config{
				MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{shown.own}, ClientCAs: pool,
				ClientAuth: tls.RequireAndVerifyClientCert, SessionTicketsDisabled: true,
			}, nil
		},
	}
}

package activation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

const (
	// Embedded names the policy that is part of the program.
	Embedded = "embedded"
	// UploadOf begins the name of a policy that an administrator sent.
	UploadOf = "upload of "
)

// Trust is what the origin of a policy exempts it from.
type Trust int

// Levels of trust.
const (
	// Supplied is a policy from a directory or an administrator. Where a key is given
	// it must be signed. It may come without a sequence.
	Supplied Trust = iota
	// Bundled is a bundle from a watched file or address: as Supplied, but once one
	// had a sequence the next must have one.
	Bundled
	// BuiltIn is the policy of the program. It needs no signature, and its tests ran
	// when the program was built.
	BuiltIn
)

// fetchTimeout bounds one look at an address.
const fetchTimeout = 20 * time.Second

// errUnchanged is returned by a source that holds what it held before.
var errUnchanged = errors.New("unchanged")

// source is where a policy comes from.
type source interface {
	// read returns the files, or errUnchanged when they are those of the last
	// read.
	read(ctx context.Context) (bundle.Snapshot, error)
	// trust is what all that it holds is trusted with. A Bundled source is whole or
	// absent; a directory may be read while someone writes to it.
	trust() Trust
}

// trustOf returns the trust of a kept policy by its source, whose label no other origin
// has: that of an upload begins with other words.
func trustOf(source string) Trust {
	switch {
	case source == Embedded:
		return BuiltIn
	case isBundle(source) && !strings.HasPrefix(source, UploadOf):
		return Bundled
	}
	return Supplied
}

// trustOfKept is the trust of a generation that a list says was kept, which may have come
// out of a store that others write to: only the policy of this very program needs no
// signature.
func trustOfKept(g Info) Trust {
	trust := trustOf(g.Source)
	if trust != BuiltIn {
		return trust
	}
	if files, err := (embedded{}).read(context.Background()); err == nil && files.Digest() == g.Digest {
		return BuiltIn
	}
	return Supplied
}

func newSource(name string) (source, error) {
	switch {
	case name == Embedded:
		return embedded{}, nil
	case isAddress(name):
		return &address{url: name, client: &http.Client{Timeout: fetchTimeout}}, nil
	case isBundle(name):
		return archive{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("opening policy: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("opening policy: %s is neither a directory nor a bundle (.tar.gz)", name)
	}
	return directory{name}, nil
}

func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

func isBundle(name string) bool {
	return isAddress(name) || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// embedded is the policy of the program.
type embedded struct{}

func (embedded) read(context.Context) (bundle.Snapshot, error) {
	return bundle.ReadDir(policy.Embedded())
}
func (embedded) trust() Trust { return BuiltIn }

// directory is a policy's directory.
type directory struct{ path string }

func (d directory) read(context.Context) (bundle.Snapshot, error) {
	return bundle.ReadDir(os.DirFS(d.path))
}
func (directory) trust() Trust { return Supplied }

// archive is a bundle's file.
type archive struct{ path string }

func (a archive) read(context.Context) (bundle.Snapshot, error) {
	file, err := os.Open(a.path)
	if err != nil {
		return nil, fmt.Errorf("reading bundle: %w", err)
	}
	defer file.Close()
	return bundle.ReadArchive(file)
}
func (archive) trust() Trust { return Bundled }

// address is a bundle on a web server.
type address struct {
	url    string
	client *http.Client
	etag   string // of the last bundle read
}

func (a *address) read(ctx context.Context) (bundle.Snapshot, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url, nil)
	if err != nil {
		return nil, fmt.Errorf("fetching bundle: %w", err)
	}
	if a.etag != "" {
		req.Header.Set("If-None-Match", a.etag)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetching bundle: %w", err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotModified && a.etag != "":
		return nil, errUnchanged
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetching bundle: %s answered %s", a.url, res.Status)
	}
	files, err := bundle.ReadArchive(io.LimitReader(res.Body, bundle.MaxBytes))
	if err != nil {
		return nil, err
	}
	a.etag = res.Header.Get("ETag")
	return files, nil
}
func (*address) trust() Trust { return Bundled }

// forget has the next read return the files again.
func (a *address) forget() { a.etag = "" }

// Interface guards
var (
	_ source = embedded{}
	_ source = directory{}
	_ source = archive{}
	_ source = (*address)(nil)
)

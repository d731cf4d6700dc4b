// Package bundle holds a policy's files as they were at one moment: read from
// a directory, or from an archive in the format of OPA's bundles; signed, and
// checked. Directory and archive of the same files are the same policy.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/svc-games/svc/policy"
)

// Names of OPA's own files, at the top of a bundle.
const (
	ManifestFile   = ".manifest"
	SignaturesFile = ".signatures.json"
)

// Bounds of a policy. The shipped one has 14 files and 45 KB.
const (
	MaxFiles = 1000
	MaxBytes = 8 << 20
)

// Snapshot is the files of a policy by path. It is a file system, so that
// whatever reads a policy's directory reads it as well.
type Snapshot map[string][]byte

// ReadDir reads the files of a policy from its directory: rules and tests but
// those below "examples", OPA's own files, and what "svc policy verify" holds
// the rules against. Other files do not belong to a policy.
func ReadDir(src fs.FS) (Snapshot, error) {
	s := Snapshot{}
	var size int
	err := policy.Walk(src, func(name string) error {
		if !belongs(name) {
			return nil
		}
		data, err := fs.ReadFile(src, name)
		if err != nil {
			return fmt.Errorf("reading policy: %w", err)
		}
		size += len(data)
		s[name] = data
		return s.checkBounds(size)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// belongs reports whether a file of a directory belongs to the policy.
func belongs(name string) bool {
	switch base := path.Base(name); {
	case strings.HasSuffix(base, ".rego"):
		return true
	case base == "data.json", base == "data.yaml", base == "data.yml":
		return true // it is refused later, with its name
	}
	switch name {
	case ManifestFile, SignaturesFile, "mutants.allow", "table.json", "cost.json", "testdata/decisions.golden.tsv":
		return true
	}
	return false
}

func (s Snapshot) checkBounds(size int) error {
	switch {
	case len(s) > MaxFiles:
		return fmt.Errorf("reading policy: it has more than %d files", MaxFiles)
	case size > MaxBytes:
		return fmt.Errorf("reading policy: it has more than %d bytes", MaxBytes)
	}
	return nil
}

// Digest names the files and their content: two snapshots with one digest are
// the same, signatures included.
func (s Snapshot) Digest() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		// The lengths keep two files from reading like one.
		fmt.Fprintf(sum, "%d %s %d\n", len(name), name, len(s[name]))
		sum.Write(s[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Open implements fs.FS.
func (s Snapshot) Open(name string) (fs.File, error) {
	if data, ok := s[name]; ok {
		return fstest.MapFS{name: {Data: data, Mode: 0o444}}.Open(name)
	}
	files := make(fstest.MapFS, len(s))
	for name, data := range s {
		files[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
	return files.Open(name) // a directory
}

// Interface guards
var _ fs.FS = Snapshot{}

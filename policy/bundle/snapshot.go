// Package bundle holds a policy's files as they were at one moment: read from
// a directory, or from an archive in the format of OPA's bundles; signed, and
// checked. Directory and archive of the same files are the same policy.
package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
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
	err := fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("reading policy: %w", err)
		case d.IsDir() && (name == "examples" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !belongs(name):
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
	case ManifestFile, SignaturesFile, "mutants.allow", "table.json", "testdata/decisions.golden.tsv":
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
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if data, ok := s[name]; ok {
		return &file{info: info{name: path.Base(name), size: len(data)}, Reader: strings.NewReader(string(data))}, nil
	}
	entries := s.entries(name)
	if len(entries) == 0 && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &directory{info: info{name: path.Base(name), dir: true}, entries: entries}, nil
}

// entries returns what is directly in a directory, sorted by name.
func (s Snapshot) entries(dir string) []fs.DirEntry {
	found := map[string]info{}
	for name, data := range s {
		rest := name
		if dir != "." {
			var inside bool
			if rest, inside = strings.CutPrefix(name, dir+"/"); !inside {
				continue
			}
		}
		if first, _, below := strings.Cut(rest, "/"); below {
			found[first] = info{name: first, dir: true}
		} else {
			found[first] = info{name: first, size: len(data)}
		}
	}
	entries := make([]fs.DirEntry, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		entries = append(entries, fs.FileInfoToDirEntry(found[name]))
	}
	return entries
}

// file is an open file.
type file struct {
	info
	*strings.Reader
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Size() int64                { return f.info.Size() }
func (f *file) Close() error               { return nil }

// directory is an open directory.
type directory struct {
	info
	entries []fs.DirEntry
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *directory) Close() error               { return nil }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, all that are left for n <= 0.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.entries) {
		n = len(d.entries)
	}
	next := d.entries[:n]
	d.entries = d.entries[n:]
	return next, nil
}

// Interface guards
var (
	_ fs.FS          = Snapshot{}
	_ fs.ReadDirFile = (*directory)(nil)
)

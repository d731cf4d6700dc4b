package bundle

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// ReadArchive reads a bundle: a gzipped tar archive. Its content is hostile
// until Verify says otherwise, so its size is bounded while it is unpacked.
func ReadArchive(from io.Reader) (Snapshot, error) {
	unzipped, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("reading bundle: %w: want a .tar.gz, as svc policy bundle and opa build write it", err)
	}
	s := Snapshot{}
	size := 0
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading bundle: %w", err)
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		name := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
		switch _, twice := s[name]; {
		case header.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("reading bundle: %s is not a regular file", header.Name)
		case twice:
			return nil, fmt.Errorf("reading bundle: %s appears twice in it", name)
		}
		s[name], err = io.ReadAll(io.LimitReader(archive, int64(MaxBytes-size+1)))
		if err != nil {
			return nil, fmt.Errorf("reading bundle, %s: %w", name, err)
		}
		size += len(s[name])
		if err := s.checkBounds(size); err != nil {
			return nil, err
		}
	}
}

// WriteArchive writes the snapshot as a bundle. Equal snapshots have equal
// archives. OPA reads them, too.
func (s Snapshot) WriteArchive(to io.Writer) error {
	zipped := gzip.NewWriter(to)
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		header := tar.Header{Name: "/" + name, Mode: 0o644, Size: int64(len(s[name])), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(&header); err != nil {
			return fmt.Errorf("writing bundle: %w", err)
		}
		if _, err := archive.Write(s[name]); err != nil {
			return fmt.Errorf("writing bundle: %w", err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("writing bundle: %w", err)
	}
	return nil
}

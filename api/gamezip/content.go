package gamezip

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// content is a file of a ZIP as it is unpacked. Other than what zip.File.Open
// returns it does not hold the ZIP's list of files in memory.
type content struct {
	from io.ReadCloser
	sum  hash.Hash32
	want uint32 // checksum
	left uint64 // bytes
}

func newContent(f *zip.File, r io.ReaderAt) (*content, error) {
	begin, err := f.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("finding file in ZIP: %w", err)
	}
	packed := io.NewSectionReader(r, begin, int64(f.CompressedSize64))
	c := &content{sum: crc32.NewIEEE(), want: f.CRC32, left: f.UncompressedSize64}
	switch {
	case f.Flags&1 != 0:
		return nil, fmt.Errorf("%w: %q is encrypted", ErrUnsafe, f.Name)
	case f.Method == zip.Store:
		c.from = io.NopCloser(packed)
	case f.Method == zip.Deflate:
		c.from = flate.NewReader(packed)
	default:
		return nil, zip.ErrAlgorithm
	}
	return c, nil
}

// Read implements io.Reader. The end of a file that is not as the ZIP says is an
// error.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	_, _ = c.sum.Write(p[:n]) // a checksum takes everything
	if uint64(n) > c.left {
		return int(c.left), zip.ErrFormat
	}
	c.left -= uint64(n)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	switch {
	case c.left > 0:
		return n, io.ErrUnexpectedEOF
	case c.sum.Sum32() != c.want:
		return n, zip.ErrChecksum
	}
	return n, io.EOF
}

// Close implements io.Closer.
func (c *content) Close() error { return c.from.Close() }

// Interface guards
var _ io.ReadCloser = (*content)(nil)

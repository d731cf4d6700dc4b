package archive

import (
	"archive/zip"
	"errors"
	"io"
	"os"
)

// maxDirectory bounds, in bytes, what is read of a ZIP to list its files. Each
// of them takes several times as much in memory as in the directory, here and
// wherever the ZIP is opened later: a ZIP of nothing but a directory would take
// most of a gibibyte.
const maxDirectory = 4 << 20

var errDirectory = errors.New("it lists too many files")

// checkZIP makes sure that a file is a ZIP that can be listed.
func checkZIP(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = countFiles(f, info.Size())
	return err
}

// countFiles returns how many files a ZIP of so many bytes lists.
func countFiles(f io.ReaderAt, size int64) (int, error) {
	r, err := zip.NewReader(&directory{from: f, left: maxDirectory}, size)
	if err != nil {
		return 0, err
	}
	return len(r.File), nil
}

// directory reads at most so many bytes of a ZIP.
type directory struct {
	from io.ReaderAt
	left int64
}

func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if d.left -= int64(len(p)); d.left < 0 {
		return 0, errDirectory
	}
	return d.from.ReadAt(p, at)
}

package bounded

import (
	"bufio"
	"bytes"
	"io"
)

// Lines returns a scanner of the lines of r, which have so many bytes at most. What
// r breaks off in the middle of a line is left out: bufio.ScanLines takes it for the
// last line, before the error is known.
func Lines(r io.Reader, longest int) *bufio.Scanner {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 8<<10), longest)
	scan.Split(func(data []byte, _ bool) (advance int, token []byte, err error) {
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			return end + 1, data[:end], nil
		}
		return 0, nil, nil
	})
	return scan
}

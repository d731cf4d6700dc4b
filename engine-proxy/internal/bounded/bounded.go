// Package bounded reads what others send, and no more of it than was agreed.
package bounded

import "io"

type reader struct {
	io.LimitedReader
	over error
}

// Reader reads from r, and fails with over on what comes beyond limit bytes.
func Reader(r io.Reader, limit int64, over error) io.Reader {
	return &reader{io.LimitedReader{R: r, N: limit + 1}, over}
}

func (b *reader) Read(p []byte) (int, error) {
	n, err := b.LimitedReader.Read(p)
	if b.N == 0 {
		err = b.over
	}
	return n, err
}

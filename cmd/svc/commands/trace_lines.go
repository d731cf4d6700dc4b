package commands

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxTraceLine bounds, in bytes, the lines of logs that svc trace reads; longer ones
// are skipped.
const maxTraceLine = 1 << 20

// eachLine calls f with each line of a file that contains a text. The line is f's
// until it returns.
func eachLine(path, text string, f func(line []byte)) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading log: %w", err)
	}
	defer file.Close()
	for in := bufio.NewReaderSize(file, maxTraceLine); ; {
		line, err := in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // too long: skip the rest of it
			line = nil
			_, err = in.ReadSlice('\n')
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && bytes.Contains(line, []byte(text)) {
			f(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
	}
}

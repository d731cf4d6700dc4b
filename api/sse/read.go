package sse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// maxLine bounds a line of a stream that is read: our own events are at most
// api.MaxEventData.
const maxLine = 1 << 20

// Reader reads the blocks of an event stream.
type Reader struct {
	scan *bufio.Scanner
}

// NewReader returns a reader of the stream r.
func NewReader(r io.Reader) *Reader { return NewReaderOf(r, maxLine) }

// NewReaderOf returns a reader of a stream whose lines have so many bytes at most.
func NewReaderOf(r io.Reader, longest int) *Reader {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 16<<10), longest)
	return &Reader{scan: scan}
}

// Next returns the next event. ID is 0 for an event of the connection.
// Comments and blocks without data are passed over. At a clean end of the
// stream it returns io.EOF.
func (r *Reader) Next() (Record, error) {
	var rec Record
	var data [][]byte
	for r.scan.Scan() {
		line := r.scan.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				rec.Data = append([]byte{}, bytes.Join(data, []byte("\n"))...)
				return rec, nil
			}
			rec = Record{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			if n, err := strconv.ParseUint(string(value), 10, 64); err == nil {
				rec.ID = n
			}
		case "event":
			rec.Type = string(value)
		case "data":
			data = append(data, bytes.Clone(value))
		}
	}
	if err := r.scan.Err(); err != nil {
		return Record{}, fmt.Errorf("reading event stream: %w", err)
	}
	return Record{}, io.EOF
}

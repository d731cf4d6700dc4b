package joblog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/svc-games/svc/api"
)

// maxBlock bounds an event that is read, in bytes: one has at most api.MaxEventData
// and its envelope.
const maxBlock = 4 * api.MaxEventData

var errTooLong = errors.New("an event is longer than the contract allows")

// Scanner reads the events of an event stream as they stand there. What is none, like
// a comment, is passed over.
type Scanner struct {
	r     *bufio.Reader
	block []byte
}

// NewScanner returns a scanner of the stream r.
func NewScanner(r io.Reader) *Scanner { return &Scanner{r: bufio.NewReader(r)} }

// Next returns the next whole event, io.EOF at the end of the stream.
func (s *Scanner) Next() (Event, error) {
	for {
		e, is, err := s.next()
		if err != nil {
			return Event{}, err
		}
		if is {
			e.Block = bytes.Clone(s.block)
			return e, nil
		}
	}
}

// next reads a block.
func (s *Scanner) next() (e Event, is bool, err error) {
	s.block = s.block[:0]
	for begin := 0; ; {
		part, err := s.r.ReadSlice('\n')
		s.block = append(s.block, part...)
		switch {
		case len(s.block) > maxBlock:
			return Event{}, false, errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return Event{}, false, err
		}
		line := s.block[begin : len(s.block)-1]
		if len(line) == 0 {
			return e, is, nil
		}
		begin = len(s.block)
		is = e.field(line) || is
	}
}

// field notes a line of an event. It returns false for one that makes no event.
func (e *Event) field(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(": "))
	switch string(name) {
	case "id":
		if id, err := strconv.ParseUint(string(value), 10, 64); err == nil {
			e.ID = id
		}
	case "event":
		e.Terminal = e.Terminal || api.TerminalEvent(string(value))
		e.Reset = e.Reset || string(value) == api.StreamReset
	case "data":
	default:
		return bytes.HasPrefix(line, []byte("data:"))
	}
	return true
}

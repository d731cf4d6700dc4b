package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// line is the data of one event.
type line struct {
	data   []byte
	halves bool // some characters in it are parts of one
}

// into reads the event into a value.
func (l line) into(v any) error {
	if err := json.Unmarshal(l.data, v); err != nil {
		return fmt.Errorf("%w: its JSON is malformed", ErrBroken)
	}
	return nil
}

// readLines hands the events of a stream to take until it is done, or the
// stream ends: without an error if the answer was complete. A stream has at most
// so many bytes; an answer that is none is one event. alive is called for each
// line.
func readLines(r io.Reader, most int, a *answer, take func(a *answer, l line) (done bool, err error), alive func()) error {
	in := bufio.NewReaderSize(r, 16<<10)
	first, err := in.Peek(1)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if first[0] == '{' {
		return readWhole(in, a, take)
	}
	for read := 0; ; {
		raw, err := readLine(in)
		if read += len(raw); read > most || errors.Is(err, errTooLong) {
			return errTooLong
		}
		alive()
		data, isData := bytes.CutPrefix(raw, []byte("data:"))
		if data = bytes.TrimSpace(data); isData && len(data) > 0 {
			if string(data) == "[DONE]" {
				return nil
			}
			event := hold(data)
			if done, err := take(a, event); done || err != nil {
				return event.why(err)
			}
		}
		if err == io.EOF && a.ended {
			return nil // some servers leave the last line out
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBroken, err)
		}
	}
}

// readWhole reads an answer that is one JSON object.
func readWhole(in io.Reader, a *answer, take func(a *answer, l line) (done bool, err error)) error {
	raw, err := io.ReadAll(io.LimitReader(in, 2*maxText+1))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if len(raw) > 2*maxText {
		return errTooLong
	}
	_, err = take(a, hold(raw))
	return err
}

// readLine reads up to a line break. Its error goes with what came before it.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// errSaid: a server says within a stream that it can't go on.
var errSaid = fmt.Errorf("%w: its server says so", ErrBroken)

// failure reads what a server says within a stream that it can't go on for.
func failure(raw json.RawMessage) error {
	if !given(raw) {
		return nil
	}
	return errSaid
}

// why names the cause of an error that an event tells of, where the same request would
// end so again. The answer is paid.
func (l line) why(err error) error {
	var said struct {
		Reason string `json:"reason"`
	}
	if !errors.Is(err, errSaid) || json.Unmarshal(l.data, &said) != nil {
		return err
	}
	switch kinds[said.Reason] {
	case Overflow, Declined:
		return &Refusal{Status: http.StatusOK, Reason: said.Reason, paid: true}
	}
	return err
}

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
			if done, err := take(a, hold(data)); done || err != nil {
				return err
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

// failure is why a server can't go on within a 200, which the event says: what would
// come again is a refusal, and everything else an answer that broke off. What has arrived
// is paid, and nobody else is asked for the rest.
func (a *answer) failure(event []byte) error {
	r := &Refusal{Status: http.StatusOK, paid: a.size > 0}
	r.read(event)
	switch kind := r.Kind(); {
	case kind == Overflow, kind == Declined:
		return r
	case kind == Quota, kind == Auth, kind == NoModel, kind == ToolsOff:
		if !r.paid {
			return r
		}
	}
	return ErrBroken
}

package decisionlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxLine bounds a record. One of ours has about 700 bytes; attributes of a
// project make it longer.
const maxLine = 1 << 20

// ErrNotFound is returned when a log has no record of the wanted decision.
var ErrNotFound = errors.New("no such decision in the log")

// Writer writes records, one a line. It is not safe for concurrent use.
type Writer struct {
	to  io.Writer
	buf bytes.Buffer
}

// NewWriter returns a writer that writes each record with one call of
// to.Write.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes a record.
func (w *Writer) Write(r Record) error {
	w.buf.Reset()
	if err := json.NewEncoder(&w.buf).Encode(r); err != nil {
		return fmt.Errorf("encoding decision %s: %w", r.DecisionID, err)
	}
	if _, err := w.to.Write(w.buf.Bytes()); err != nil {
		return fmt.Errorf("writing decision %s: %w", r.DecisionID, err)
	}
	return nil
}

// Lines reads a log line by line, without decoding: Next, then Line, at the
// end Err.
type Lines struct {
	scanner *bufio.Scanner
	number  int
}

// NewLines returns a reader of the lines of a log.
func NewLines(from io.Reader) *Lines {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	return &Lines{scanner: scanner}
}

// Next goes to the next line that is not empty.
func (l *Lines) Next() bool {
	for l.scanner.Scan() {
		l.number++
		if len(bytes.TrimSpace(l.scanner.Bytes())) > 0 {
			return true
		}
	}
	return false
}

// Line returns the line and its number. The bytes are valid until Next.
func (l *Lines) Line() ([]byte, int) { return l.scanner.Bytes(), l.number }

// Err returns why Next ended, nil at the end of the log.
func (l *Lines) Err() error {
	if err := l.scanner.Err(); err != nil {
		return fmt.Errorf("reading the decision log, line %d: %w", l.number+1, err)
	}
	return nil
}

// Decode reads a record from its line. Fields of a record that are not known
// are left out, as OPA has more of them; members of input and result that are
// not known are an error, as the decision may have depended on them.
func Decode(line []byte) (Record, error) {
	// Records of our own have no other fields, and reading them in one go takes
	// half the time.
	var r Record
	if err := strict(line, &r); err == nil && r.Input.Action != "" {
		return r, r.checkWhole()
	}
	var envelope struct {
		Record
		Input  json.RawMessage `json:"input"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(line, &envelope); err != nil {
		return Record{}, fmt.Errorf("decoding a decision: %w", err)
	}
	r = envelope.Record
	if err := r.checkWhole(); err != nil {
		return Record{}, err
	}
	if len(envelope.Input) == 0 {
		return Record{}, fmt.Errorf("decoding decision %s: it has no input", r.DecisionID)
	}
	if err := strict(envelope.Input, &r.Input); err != nil {
		return Record{}, fmt.Errorf("decoding the input of decision %s: %w", r.DecisionID, err)
	}
	if len(envelope.Result) > 0 {
		if err := strict(envelope.Result, &r.Result); err != nil {
			return Record{}, fmt.Errorf("decoding the result of decision %s: %w", r.DecisionID, err)
		}
	}
	return r, nil
}

// checkWhole refuses a record whose facts are not those that were decided on.
func (r Record) checkWhole() error {
	if hidden := append(slices.Clone(r.Erased), r.Masked...); len(hidden) > 0 {
		return fmt.Errorf("decision %s can't be decided again: its log is masked at %s", r.DecisionID, strings.Join(hidden, ", "))
	}
	return nil
}

// strict decodes text and refuses members that are not known, and text that
// goes on after them.
func strict(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after its end")
	}
	return nil
}

// Find returns the record of a decision. It returns ErrNotFound, wrapped, when
// the log does not have it.
func Find(log io.Reader, decisionID string) (Record, error) {
	lines := NewLines(log)
	for lines.Next() {
		line, number := lines.Line()
		if !bytes.Contains(line, []byte(decisionID)) {
			continue
		}
		r, err := Decode(line)
		if err != nil {
			return Record{}, fmt.Errorf("line %d: %w", number, err)
		}
		if r.DecisionID == decisionID {
			return r, nil
		}
	}
	if err := lines.Err(); err != nil {
		return Record{}, err
	}
	return Record{}, fmt.Errorf("%w: %s", ErrNotFound, decisionID)
}

package decisionlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/svc-games/svc/api/exact"
)

// maxLine bounds a record. One of ours has about 700 bytes; attributes of a
// project make it longer.
const maxLine = 1 << 20

// ErrNotFound is returned when a log has no record of the wanted decision.
var ErrNotFound = errors.New("no such decision in the log")

// Line is a line of a log, not decoded.
type Line struct {
	Number int
	Text   []byte
}

// Lines reads the lines of a log that are not empty. A line's text is valid until the
// next; an error ends the log.
func Lines(log io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		scanner := bufio.NewScanner(log)
		scanner.Buffer(make([]byte, 64<<10), maxLine)
		number := 1
		for ; scanner.Scan(); number++ {
			if len(bytes.TrimSpace(scanner.Bytes())) > 0 && !yield(Line{number, scanner.Bytes()}, nil) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			yield(Line{}, fmt.Errorf("reading the decision log, line %d: %w", number, err))
		}
	}
}

// Decode reads a record from its line. Fields of a record that are not known
// are left out, as OPA has more of them; members of input and result that are
// not known are an error, as the decision may have depended on them.
func Decode(line []byte) (Record, error) {
	// Records of our own have no other fields, and reading them in one go takes
	// half the time.
	var r Record
	if err := exact.Decode(bytes.NewReader(line), &r); err == nil && r.Input.Action != "" {
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
	if err := exact.Decode(bytes.NewReader(envelope.Input), &r.Input); err != nil {
		return Record{}, fmt.Errorf("decoding the input of decision %s: %w", r.DecisionID, err)
	}
	if len(envelope.Result) > 0 {
		if err := exact.Decode(bytes.NewReader(envelope.Result), &r.Result); err != nil {
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

// Find returns the record of a decision, or those of a request in their order. It
// returns ErrNotFound, wrapped, when the log has none.
func Find(log io.Reader, id string) ([]Record, error) {
	var all []Record
	for line, err := range Lines(log) {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(line.Text, []byte(id)) {
			continue
		}
		r, err := Decode(line.Text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line.Number, err)
		}
		if r.DecisionID == id {
			return []Record{r}, nil
		}
		if r.RequestID == id {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return all, nil
}

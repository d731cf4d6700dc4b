package decisionlog

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// maxPart bounds the lines of a Part: the newest are those that are there.
const maxPart = 32 << 20

// Query asks a log for records.
type Query struct {
	Filter Filter `json:"filter"`
	// ID is that of a decision or of a request; "" is any.
	ID string `json:"id,omitempty"`
	// Last is how many of the newest records are wanted, Bytes how much of the log's end is
	// looked through; 0 is all.
	Last  int   `json:"last,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`
}

// Part is what a log has of what was asked for.
type Part struct {
	// Lines are those of the records, oldest first, and those that are no records; compressed.
	Lines []byte `json:"lines"`
	// Matched counts the records that match before those, Decisions what they stand for, and
	// Unreadable the lines before those that are no records.
	Matched    int   `json:"matched,omitempty"`
	Decisions  int64 `json:"decisions,omitempty"`
	Unreadable int   `json:"unreadable,omitempty"`
}

// Collect returns what the log at a path, and those that were renamed, have. A log that is not
// there has nothing.
func Collect(path string, q Query) (Part, error) {
	log, err := OpenEnd(path, q.Filter.Since, cmp.Or(q.Bytes, allBytes))
	if errors.Is(err, fs.ErrNotExist) {
		return Part{}, nil
	}
	if err != nil {
		return Part{}, err
	}
	defer log.Close()
	return collect(log, q, maxPart)
}

// collected is a line of a Part; one that is no record stands for no decision.
type collected struct {
	text      []byte
	decisions int64
}

func collect(log io.Reader, q Query, maxBytes int) (Part, error) {
	var p Part
	var kept []collected
	records, size := 0, 0
	for line, err := range Lines(log) {
		if err != nil {
			return Part{}, err
		}
		one, wanted := q.match(line.Text)
		if !wanted {
			continue
		}
		kept = append(kept, one)
		size += len(one.text) + 1
		if one.decisions > 0 {
			records++
		}
		for q.Last > 0 && records > q.Last || size > maxBytes {
			size -= len(kept[0].text) + 1
			if kept[0].decisions > 0 {
				records--
			}
			p.leave(kept[0])
			kept = kept[1:]
		}
	}
	var err error
	p.Lines, err = compress(kept)
	return p, err
}

// match returns a line that is asked for.
func (q Query) match(line []byte) (one collected, wanted bool) {
	if q.ID != "" && !bytes.Contains(line, []byte(q.ID)) {
		return one, false
	}
	r, err := show(line)
	switch {
	case err != nil && q.ID == "": // it counts as such wherever the line is read
		return collected{text: slices.Clone(line)}, true
	case err != nil || q.ID != "" && q.ID != r.DecisionID && q.ID != r.RequestID || !q.Filter.Match(r):
		return one, false
	}
	return collected{slices.Clone(line), max(1, r.Count)}, true
}

func (p *Part) leave(one collected) {
	if one.decisions == 0 {
		p.Unreadable++
		return
	}
	p.Matched++
	p.Decisions += one.decisions
}

func compress(lines []collected) ([]byte, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for _, line := range lines {
		if _, err := w.Write(append(line.text, '\n')); err != nil {
			return nil, fmt.Errorf("compressing a decision log: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing a decision log: %w", err)
	}
	return out.Bytes(), nil
}

// Open returns the lines.
func (p Part) Open() (io.Reader, error) {
	if len(p.Lines) == 0 {
		return bytes.NewReader(nil), nil
	}
	lines, err := gzip.NewReader(bytes.NewReader(p.Lines))
	if err != nil {
		return nil, fmt.Errorf("reading a part of a decision log: %w", err)
	}
	return lines, nil
}

// Add puts what another log has into a selection, by its time. The last records are kept, all
// for 0.
func (s *Selection) Add(p Part, f Filter, last int) error {
	lines, err := p.Open()
	if err != nil {
		return err
	}
	other, err := Select(lines, f, last)
	if err != nil {
		return err
	}
	s.Matched += other.Matched + p.Matched
	s.Decisions += other.Decisions + p.Decisions
	s.Unreadable += other.Unreadable + p.Unreadable
	s.Records = append(s.Records, other.Records...)
	slices.SortStableFunc(s.Records, func(a, b Record) int { return a.Timestamp.Compare(b.Timestamp) })
	if last > 0 && len(s.Records) > last {
		s.Records = s.Records[len(s.Records)-last:]
	}
	return nil
}

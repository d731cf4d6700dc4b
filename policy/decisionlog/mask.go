package decisionlog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy"
)

// maskTimeout bounds what a policy's mask may take for one record, in each of
// maskTries.
const (
	maskTimeout = 50 * time.Millisecond
	maskTries   = 5
)

// TryMask reports why records of decisions of a policy can't be masked by it, trying one.
func TryMask(e *policy.Evaluator, in policy.Input, d policy.Decision) error {
	_, err := render(Entry{At: time.Now(), Input: in, Evaluator: e, Decision: d})
	return err
}

// newID returns an id for the record of a decision. Ids sort by the time.
func newID(at time.Time) string { return ulid.MustNewDefault(at).String() }

// render returns the line of an entry, masked by the policy that decided. With an error,
// of a record that can't be masked, it is one without input and result: they might show
// what must not be shown.
func render(e Entry) ([]byte, error) {
	id := cmp.Or(e.id, newID(e.At))
	r := New(id, e.At, e.Evaluator.Revision(), e.Input, e.Decision, e.Err)
	r.Path = cmp.Or(e.Path, Path)
	r.Metrics.EvalNS = e.Took.Nanoseconds()
	r.RequestID, r.ProjectID, r.Count = e.RequestID, e.ProjectID, e.Count
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(r); err != nil {
		return nil, fmt.Errorf("encoding decision %s: %w", id, err)
	}
	if !e.Evaluator.Masks() {
		return line.Bytes(), nil
	}
	masked, err := applyMask(e, line.Bytes())
	if err == nil {
		return masked, nil
	}
	err = fmt.Errorf("masking decision %s: %w", id, err)
	bare, unread := change(line.Bytes(), []operation{{Op: opRemove, Path: inputPath}, {Op: opRemove, Path: resultPath}})
	return bare, errors.Join(err, unread)
}

// askMask asks the policy for its mask of a record. On a busy machine one try may
// be late through no fault of the policy.
func askMask(e Entry, event ast.Value) (mask ast.Value, err error) {
	for range maskTries {
		ctx, cancel := context.WithTimeout(context.Background(), maskTimeout)
		mask, err = e.Evaluator.Mask(ctx, event)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	return mask, err
}

// operation is one element of a mask.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// What of a record can be masked.
const (
	inputPath  = "/input"
	resultPath = "/result"
)

// The operations of a mask.
const (
	opRemove = "remove"
	opUpsert = "upsert"
)

// applyMask asks the policy for its mask of a record and applies it.
func applyMask(e Entry, line []byte) ([]byte, error) {
	event, err := ast.ValueFromReader(bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	mask, err := askMask(e, event)
	if err != nil {
		return nil, err
	}
	operations, err := readMask(mask)
	if err != nil || len(operations) == 0 {
		return line, err
	}
	return change(line, operations)
}

// change applies operations to a record and notes them in it.
func change(line []byte, operations []operation) ([]byte, error) {
	var record map[string]any
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&record); err != nil {
		return nil, err
	}
	var erased, masked []string
	for _, op := range operations {
		if !op.apply(record) {
			continue
		}
		if op.Op == opRemove {
			erased = append(erased, op.Path)
		} else {
			masked = append(masked, op.Path)
		}
	}
	if len(erased) > 0 {
		record["erased"] = erased
	}
	if len(masked) > 0 {
		record["masked"] = masked
	}
	out, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// readMask reads the set that a policy gave: paths, and objects.
func readMask(mask ast.Value) ([]operation, error) {
	if mask == nil {
		return nil, nil
	}
	set, ok := mask.(ast.Set)
	if !ok {
		return nil, fmt.Errorf("the mask is not a set")
	}
	var all []operation
	for _, element := range set.Slice() {
		op := operation{Op: opRemove}
		if path, ok := element.Value.(ast.String); ok {
			op.Path = string(path)
		} else if err := ast.As(element.Value, &op); err != nil {
			return nil, fmt.Errorf("the mask's element %v: %w", element, err)
		}
		if err := op.check(); err != nil {
			return nil, fmt.Errorf("the mask's element %v: %w", element, err)
		}
		all = append(all, op)
	}
	slices.SortStableFunc(all, func(a, b operation) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func (op operation) check() error {
	if op.Op != opRemove && op.Op != opUpsert {
		return fmt.Errorf("op must be %s or %s", opRemove, opUpsert)
	}
	for _, part := range []string{inputPath, resultPath} {
		if op.Path == part || strings.HasPrefix(op.Path, part+"/") {
			return nil
		}
	}
	return fmt.Errorf("path must begin with /input or /result")
}

// apply changes the record and reports whether there was something to change.
func (op operation) apply(record map[string]any) bool {
	parts := strings.Split(op.Path[1:], "/")
	parent := record
	for i, part := range parts {
		name, err := url.PathUnescape(part)
		if err != nil {
			name = part
		}
		if i == len(parts)-1 {
			_, there := parent[name]
			switch {
			case op.Op == opUpsert:
				parent[name] = op.Value
				return true
			case there:
				delete(parent, name)
			}
			return there
		}
		child, ok := parent[name].(map[string]any)
		if !ok {
			return false
		}
		parent = child
	}
	return false
}

// Package replay decides recorded decisions again, with another policy, and
// tells what would have been different.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/change"
	"github.com/svc-games/svc/policy/decisionlog"
)

// Report is the outcome of a replay.
type Report struct {
	// Decisions were made again; a record that stands for many is decided once and
	// counted as many.
	Decisions int           `json:"decisions"`
	Duration  time.Duration `json:"durationNs"`
	// Unreadable counts the lines that could not be decided again: their facts
	// are masked or not those of this version.
	Unreadable int `json:"unreadable"`
	// FirstUnreadable says why, for the first of them.
	FirstUnreadable string `json:"firstUnreadable,omitempty"`
	// Ledger counts refusals and replays of the ledger, Refused what the console and
	// gateways refused, none of which a policy decides; and Asked decisions on what others
	// asked, who can ask anything.
	Ledger         int     `json:"ledger,omitempty"`
	Refused        int     `json:"refused,omitempty"`
	Asked          int     `json:"asked,omitempty"`
	Changes        []Group `json:"changes"`
	unreadableLine int
}

// Group is the decisions about one action that changed in the same way.
type Group struct {
	Action policy.Action `json:"action"`
	Old    string        `json:"old"` // status and rule
	New    string        `json:"new"`
	Count  int           `json:"count"`
	// Example is the id of one of them, the smallest.
	Example  string `json:"example"`
	Expected bool   `json:"expected"`
}

func (g Group) String() string {
	return fmt.Sprintf("%s: %s: %s -> %s (for example %s)", change.Count(g.Count, "decision"), g.Action, g.Old, g.New, g.Example)
}

// Changed is how many decisions would have been different.
func (r Report) Changed() (n int) {
	for _, group := range r.Changes {
		n += group.Count
	}
	return n
}

// Unexpected reports whether a change was not expected.
func (r Report) Unexpected() bool {
	return slices.ContainsFunc(r.Changes, func(g Group) bool { return !g.Expected })
}

// batchSize is the number of lines a worker is given at once.
const batchSize = 128

// Options of a replay. None is needed.
type Options struct {
	Expected Expectations
	// Since leaves out the decisions before it.
	Since time.Time
	// Against decides as well, in place of what was recorded.
	Against *policy.Evaluator
	// Workers is how many cores decide, 0 for all.
	Workers int
}

// Run has e decide the records of log again.
func Run(ctx context.Context, log io.Reader, e *policy.Evaluator, o Options) (Report, error) {
	begin := time.Now()
	var mu sync.Mutex // guards total
	total := tally{groups: map[change.Kind]Group{}}
	batches := make(chan []decisionlog.Line)
	var workers sync.WaitGroup
	for range cmp.Or(o.Workers, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			own := tally{groups: map[change.Kind]Group{}}
			for batch := range batches {
				own.decide(ctx, e, o, batch)
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(own)
		})
	}
	err := readBatches(ctx, log, batches)
	close(batches)
	workers.Wait()
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("replaying decisions: %w", ctx.Err())
	}
	if err != nil {
		return Report{}, err
	}
	report := total.Report
	report.Duration = time.Since(begin)
	report.Changes = make([]Group, 0, len(total.groups))
	for _, group := range total.groups {
		group.Expected = o.Expected.match(group)
		report.Changes = append(report.Changes, group)
	}
	slices.SortFunc(report.Changes, func(a, b Group) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.String(), b.String()))
	})
	return report, nil
}

func readBatches(ctx context.Context, log io.Reader, batches chan<- []decisionlog.Line) error {
	var batch []decisionlog.Line
	send := func() error {
		select {
		case batches <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return fmt.Errorf("replaying decisions: %w", ctx.Err())
		}
	}
	for line, err := range decisionlog.Lines(log) {
		if err != nil {
			return err
		}
		line.Text = slices.Clone(line.Text)
		if batch = append(batch, line); len(batch) == batchSize {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// tally is a worker's part of a report.
type tally struct {
	Report
	groups map[change.Kind]Group
}

func (t *tally) decide(ctx context.Context, e *policy.Evaluator, o Options, batch []decisionlog.Line) {
	for _, line := range batch {
		r, err := decisionlog.Decode(line.Text)
		if err == nil && !slices.Contains(decisionlog.Paths(), r.Path) {
			err = fmt.Errorf("decision %s is one of %q", r.DecisionID, r.Path)
		}
		if err != nil {
			t.unreadable(line.Number, err)
			continue
		}
		if r.Timestamp.Before(o.Since) {
			continue
		}
		if t.leaveOut(r.Path) {
			continue
		}
		before := r.Result
		if o.Against != nil {
			before = decided(ctx, o.Against, r.Input)
		}
		n := int(max(1, r.Count))
		t.Decisions += n
		if from, to, differ := change.Between(before, decided(ctx, e, r.Input)); differ {
			t.count(change.Kind{Action: r.Input.Action, From: from, To: to}, Group{Action: r.Input.Action, Old: from, New: to, Count: n, Example: r.DecisionID})
		}
	}
}

// leaveOut counts a record that is not decided again.
func (t *tally) leaveOut(path string) bool {
	switch path {
	case decisionlog.LedgerPath, decisionlog.ReplayPath:
		t.Ledger++
	case decisionlog.RefusalPath:
		t.Refused++
	case decisionlog.AskedPath:
		t.Asked++
	default:
		return false
	}
	return true
}

// decided returns a policy's decision, nil for none.
func decided(ctx context.Context, e *policy.Evaluator, in policy.Input) *policy.Decision {
	d, err := e.Decide(ctx, in)
	if err != nil {
		return nil
	}
	return &d
}

func (t *tally) unreadable(line int, err error) {
	t.Unreadable++
	if t.unreadableLine == 0 || line < t.unreadableLine {
		t.unreadableLine = line
		t.FirstUnreadable = fmt.Sprintf("line %d: %v", line, err)
	}
}

func (t *tally) count(key change.Kind, more Group) {
	if group, ok := t.groups[key]; ok {
		more.Count += group.Count
		more.Example = min(more.Example, group.Example)
	}
	t.groups[key] = more
}

// add puts another tally into t.
func (t *tally) add(other tally) {
	t.Decisions += other.Decisions
	t.Unreadable += other.Unreadable
	t.Ledger += other.Ledger
	t.Refused += other.Refused
	t.Asked += other.Asked
	if other.unreadableLine > 0 && (t.unreadableLine == 0 || other.unreadableLine < t.unreadableLine) {
		t.unreadableLine, t.FirstUnreadable = other.unreadableLine, other.FirstUnreadable
	}
	for key, group := range other.groups {
		t.count(key, group)
	}
}

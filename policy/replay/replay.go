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
	Decisions int           `json:"decisions"` // decided again
	Duration  time.Duration `json:"durationNs"`
	// Unreadable counts the lines that could not be decided again: their facts
	// are masked or not those of this version.
	Unreadable int `json:"unreadable"`
	// FirstUnreadable says why, for the first of them.
	FirstUnreadable string  `json:"firstUnreadable,omitempty"`
	Changes         []Group `json:"changes"`
	unreadableLine  int
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

// Unexpected reports whether a change was not expected.
func (r Report) Unexpected() bool {
	return slices.ContainsFunc(r.Changes, func(g Group) bool { return !g.Expected })
}

// batchSize is the number of lines a worker is given at once.
const batchSize = 128

// Run has e decide every record of log again.
func Run(ctx context.Context, log io.Reader, e *policy.Evaluator, expected Expectations) (Report, error) {
	begin := time.Now()
	var mu sync.Mutex // guards total
	total := tally{groups: map[change.Kind]Group{}}
	batches := make(chan []decisionlog.Line)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			own := tally{groups: map[change.Kind]Group{}}
			for batch := range batches {
				own.decide(ctx, e, batch)
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
		group.Expected = expected.match(group)
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

func (t *tally) decide(ctx context.Context, e *policy.Evaluator, batch []decisionlog.Line) {
	for _, line := range batch {
		r, err := decisionlog.Decode(line.Text)
		if err == nil && r.Path != decisionlog.Path {
			err = fmt.Errorf("decision %s is one of %q", r.DecisionID, r.Path)
		}
		if err != nil {
			t.unreadable(line.Number, err)
			continue
		}
		var now *policy.Decision
		if d, err := e.Decide(ctx, r.Input); err == nil {
			now = &d
		}
		t.Decisions++
		if from, to, differ := change.Between(r.Result, now); differ {
			t.count(change.Kind{Action: r.Input.Action, From: from, To: to}, Group{Action: r.Input.Action, Old: from, New: to, Count: 1, Example: r.DecisionID})
		}
	}
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
	if other.unreadableLine > 0 && (t.unreadableLine == 0 || other.unreadableLine < t.unreadableLine) {
		t.unreadableLine, t.FirstUnreadable = other.unreadableLine, other.FirstUnreadable
	}
	for key, group := range other.groups {
		t.count(key, group)
	}
}

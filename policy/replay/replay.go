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
	decisions := fmt.Sprintf("%d decisions", g.Count)
	if g.Count == 1 {
		decisions = "1 decision"
	}
	return fmt.Sprintf("%s: %s: %s -> %s (for example %s)", decisions, g.Action, g.Old, g.New, g.Example)
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
	total := tally{groups: map[kind]Group{}}
	batches := make(chan batch)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			own := tally{groups: map[kind]Group{}}
			for b := range batches {
				own.decide(ctx, e, b)
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

// batch is some lines of a log; the first has number first.
type batch struct {
	lines   [][]byte
	numbers []int
}

func readBatches(ctx context.Context, log io.Reader, batches chan<- batch) error {
	lines := decisionlog.NewLines(log)
	var b batch
	send := func() error {
		select {
		case batches <- b:
			b = batch{}
			return nil
		case <-ctx.Done():
			return fmt.Errorf("replaying decisions: %w", ctx.Err())
		}
	}
	for lines.Next() {
		line, number := lines.Line()
		b.lines = append(b.lines, slices.Clone(line))
		b.numbers = append(b.numbers, number)
		if len(b.lines) == batchSize {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return send()
}

// kind is what decisions of a group have in common.
type kind struct {
	action   policy.Action
	from, to string
}

// tally is a worker's part of a report.
type tally struct {
	Report
	groups map[kind]Group
}

func (t *tally) decide(ctx context.Context, e *policy.Evaluator, b batch) {
	for i, line := range b.lines {
		r, err := decisionlog.Decode(line)
		if err == nil && r.Path != decisionlog.Path {
			err = fmt.Errorf("decision %s is one of %q", r.DecisionID, r.Path)
		}
		if err != nil {
			t.unreadable(b.numbers[i], err)
			continue
		}
		var now *policy.Decision
		if d, err := e.Decide(ctx, r.Input); err == nil {
			now = &d
		}
		t.Decisions++
		if from, to, differ := change.Between(r.Result, now); differ {
			t.count(kind{r.Input.Action, from, to}, Group{Action: r.Input.Action, Old: from, New: to, Count: 1, Example: r.DecisionID})
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

func (t *tally) count(key kind, more Group) {
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

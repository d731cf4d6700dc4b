package activation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/change"
)

// Candidate is a policy that decides beside the active one, without effect.
type Candidate struct {
	Info
	// Sample is the share of decisions that it makes, too.
	Sample float64   `json:"sample"`
	Since  time.Time `json:"since"`
}

// Report is what a candidate would have done since it began.
type Report struct {
	Candidate
	Compared int64 `json:"compared"`
	// Failed counts decisions that the candidate did not make, Dropped those
	// that it had no time for.
	Failed  int64 `json:"failed"`
	Dropped int64 `json:"dropped"`
	// Sidecars is how many have counted that, of those with the same store; 0 where it is but
	// the one that was asked. Silent names those that did not say whether they have.
	Sidecars int      `json:"sidecars,omitempty"`
	Silent   []string `json:"silent,omitempty"`
	// Differences are what it would have decided otherwise, most first.
	Differences []Difference `json:"differences"`
}

// Difference is the decisions about one action that would have changed in the
// same way.
type Difference struct {
	Action policy.Action `json:"action"`
	From   string        `json:"from"` // status and rule
	To     string        `json:"to"`
	Count  int64         `json:"count"`
	// KeyID and ProjectID are those of the first.
	KeyID     string `json:"keyId,omitempty"`
	ProjectID string `json:"projectId,omitempty"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: %s -> %s (first with key %s, project %s)",
		change.Count(d.Count, "decision"), d.Action, d.From, d.To, cmp.Or(d.KeyID, "none"), cmp.Or(d.ProjectID, "none"))
}

// ShadowReport reports what the candidate would have decided here.
func (e *Engine) ShadowReport() (Report, bool) {
	s := e.shadow.Load()
	if s == nil {
		return Report{}, false
	}
	return s.sum(), true
}

// GatherShadow is ShadowReport with what the candidate would have decided at the other sidecars
// with the same store: what waits decides along at each.
func (e *Engine) GatherShadow(ctx context.Context) (r Report, running bool, err error) {
	if r, running = e.ShadowReport(); !running {
		return r, false, nil
	}
	e.activating.Lock()
	all := e.othersLocked()
	e.activating.Unlock()
	answers, silent, err := all.ask(ctx, question{Shadow: r.Revision})
	if err != nil || len(answers)+len(silent) == 0 {
		return r, true, err
	}
	r.Sidecars, r.Silent = 1, silent
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if other := answers[name].Shadow; other != nil {
			r.add(*other)
		}
	}
	r.sort()
	return r, true, nil
}

// add counts what another sidecar's report counts.
func (r *Report) add(other Report) {
	r.Sidecars++
	r.Compared += other.Compared
	r.Failed += other.Failed
	r.Dropped += other.Dropped
	for _, d := range other.Differences {
		same := func(known Difference) bool {
			return known.Action == d.Action && known.From == d.From && known.To == d.To
		}
		if i := slices.IndexFunc(r.Differences, same); i >= 0 {
			r.Differences[i].Count += d.Count
		} else {
			r.Differences = append(r.Differences, d)
		}
	}
}

func (r *Report) sort() {
	slices.SortFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.String(), b.String()))
	})
}

// sum returns the report.
func (s *shadow) sum() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.report
	r.Candidate = s.candidate
	r.Differences = make([]Difference, 0, len(s.groups))
	for _, group := range s.groups {
		r.Differences = append(r.Differences, *group)
	}
	r.sort()
	return r
}

package activation

import (
	"cmp"
	"fmt"
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
	slices.SortFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.String(), b.String()))
	})
	return r
}

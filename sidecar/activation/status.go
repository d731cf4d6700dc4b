package activation

import "time"

// Status describes the policy of a service.
type Status struct {
	// Degraded is set while what the source holds is not active; Problem says
	// why.
	Degraded bool     `json:"degraded"`
	Problem  *Problem `json:"problem,omitempty"`
	// Wanted names what the source holds: a revision, or a digest of what has
	// none; "" when it can't be read.
	Wanted string `json:"wanted"`
	Active Info   `json:"active"`
	// Common is what all sidecars with the same store are to decide by, where this one could
	// not follow.
	Common *Info `json:"common,omitempty"`
	// Before is what a rollback without a name leads to, if there is one.
	Before *Info `json:"before,omitempty"`
	// Source is watched for changes unless it is the program itself.
	Source string `json:"source"`
	// Signed says whether policies must be signed.
	Signed bool `json:"signed"`
	// Generations are those that can be rolled back to, the active one last, before it the one
	// that was active before.
	Generations []Info `json:"generations"`
	// Waiting is the policy that waits in shadow for an approval, if there is one.
	Waiting *Info `json:"waiting,omitempty"`
	// Shadow is the candidate that decides along, if there is one.
	Shadow *Candidate `json:"shadow,omitempty"`
	// Sidecars are those with the same store, this one among them; none where no other
	// can have it.
	Sidecars []Sidecar `json:"sidecars,omitempty"`
}

// Base is what a change starts from, and is compared with: what this sidecar decides by, or
// what the others do.
func (s Status) Base() Info {
	if s.Common != nil {
		return *s.Common
	}
	return s.Active
}

// Problem is why a policy was not activated, for people.
type Problem struct {
	Step   string    `json:"step"`
	File   string    `json:"file,omitempty"`
	Line   int       `json:"line,omitempty"`
	Error  string    `json:"error"`
	Advice string    `json:"advice"`
	At     time.Time `json:"at"`
}

// problem is what the source holds, or other sidecars decide by, and why that is not active;
// failure is nil when it is.
type problem struct {
	wanted  string
	failure *Failure
	since   time.Time
}

// Problem describes a failure for people.
func (f *Failure) Problem(at time.Time) *Problem {
	p := Problem{Step: f.Step, Error: f.Err.Error(), Advice: f.Advice(), At: at}
	p.File, p.Line = f.Place()
	return &p
}

// Status describes the policy in force and what its source holds.
func (e *Engine) Status() Status {
	e.activating.Lock()
	kept, waiting, common := e.kept.state.Generations, e.kept.state.Waiting, e.common()
	before, none := e.kept.state.find("", common.Number)
	e.activating.Unlock()
	e.mu.Lock()
	trouble, sidecars := e.shown(), e.sidecars
	e.mu.Unlock()
	s := Status{
		Wanted: trouble.wanted, Active: e.Active().Info, Source: e.o.Source, Signed: len(e.trusted.Load().keys) > 0,
		Generations: append([]Info{}, kept...), Waiting: waiting, Sidecars: sidecars,
	}
	if common.Digest != s.Active.Digest {
		s.Common = &common
	}
	if none == nil {
		s.Before = &before
	}
	if trouble.failure != nil {
		s.Degraded, s.Problem = true, trouble.failure.Problem(trouble.since)
	}
	if candidate := e.shadow.Load(); candidate != nil {
		s.Shadow = &candidate.candidate
	}
	return s
}

// PolicyProblem returns in one line why the policy is not the one that is
// wanted, or not that of all sidecars, "" when it is.
func (e *Engine) PolicyProblem() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.behind.failure != nil:
		return "the policy of the other sidecars is not active: step " + e.behind.failure.Step + " failed"
	case e.trouble.failure != nil:
		return "the policy of the source is not active: step " + e.trouble.failure.Step + " failed"
	case !e.differSince.IsZero() && e.o.Now().Sub(e.differSince) >= reportEvery: // at each activation they do for a moment
		return "sidecars with this store decide by another policy"
	}
	return ""
}

// shown is the problem that people see; mu is held.
func (e *Engine) shown() problem {
	if e.behind.failure != nil {
		return e.behind
	}
	return e.trouble
}

// problem is that of the source.
func (e *Engine) problem() problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trouble
}

// setProblem notes what the source holds, and why that is not active.
func (e *Engine) setProblem(p problem) { e.note(&e.trouble, p) }

// setBehind notes why this sidecar could not follow the others, without a failure that it
// did. It reports whether that is new.
func (e *Engine) setBehind(p problem) bool {
	e.mu.Lock()
	old := e.behind
	e.mu.Unlock()
	if old.failure != nil && p.failure != nil && old.wanted == p.wanted && old.failure.Error() == p.failure.Error() {
		return false
	}
	e.note(&e.behind, p)
	return old.failure != nil || p.failure != nil
}

// settle notes that what is wanted is active.
func (e *Engine) settle(revision string) {
	e.setBehind(problem{})
	e.setProblem(problem{wanted: revision})
}

func (e *Engine) note(kind *problem, p problem) {
	p.since = e.o.Now().UTC()
	e.mu.Lock()
	*kind = p
	shown := e.shown()
	e.mu.Unlock()
	e.o.Metrics.wants(shown)
}

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

// Problem is why a policy was not activated, for people.
type Problem struct {
	Step   string    `json:"step"`
	File   string    `json:"file,omitempty"`
	Line   int       `json:"line,omitempty"`
	Error  string    `json:"error"`
	Advice string    `json:"advice"`
	At     time.Time `json:"at"`
}

// problem is what the source holds, and why that is not active; failure is nil
// when it is.
type problem struct {
	wanted  string
	failure *Failure
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
	kept, waiting := e.kept.state.Generations, e.kept.state.Waiting
	e.activating.Unlock()
	e.mu.Lock()
	trouble, since, sidecars := e.trouble, e.troubleAt, e.sidecars
	e.mu.Unlock()
	s := Status{
		Wanted: trouble.wanted, Active: e.Active().Info, Source: e.o.Source, Signed: len(e.keys) > 0,
		Generations: append([]Info{}, kept...), Waiting: waiting, Sidecars: sidecars,
	}
	if trouble.failure != nil {
		s.Degraded, s.Problem = true, trouble.failure.Problem(since)
	}
	if candidate := e.shadow.Load(); candidate != nil {
		s.Shadow = &candidate.candidate
	}
	return s
}

// PolicyProblem returns in one line why the policy is not the one that is
// wanted, or not that of all sidecars, "" when it is.
func (e *Engine) PolicyProblem() string {
	if failure := e.problem().failure; failure != nil {
		return "the policy of the source is not active: step " + failure.Step + " failed"
	}
	e.mu.Lock()
	since := e.differSince
	e.mu.Unlock()
	if !since.IsZero() && e.o.Now().Sub(since) >= reportEvery { // at each activation they do for a moment
		return "sidecars with this store decide by another policy"
	}
	return ""
}

func (e *Engine) problem() problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trouble
}

func (e *Engine) setProblem(p problem) {
	e.mu.Lock()
	e.trouble, e.troubleAt = p, e.o.Now().UTC()
	e.mu.Unlock()
	e.o.Metrics.wants(p)
}

package policy

import (
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

// The names of the input's and the decision's members as terms, made once.
var (
	nameAction            = ast.StringTerm("action")
	nameKey               = ast.StringTerm("key")
	nameProject           = ast.StringTerm("project")
	nameUsage             = ast.StringTerm("usage")
	nameID                = ast.StringTerm("id")
	nameUserID            = ast.StringTerm("userId")
	nameState             = ast.StringTerm("state")
	nameLimits            = ast.StringTerm("limits")
	nameOwnerID           = ast.StringTerm("ownerId")
	nameAttributes        = ast.StringTerm("attributes")
	nameJobsPerDay        = ast.StringTerm(api.LimitJobsPerDay)
	nameJobsPerMonth      = ast.StringTerm(api.LimitJobsPerMonth)
	nameMaxConcurrentJobs = ast.StringTerm(api.LimitMaxConcurrentJobs)
	nameTIKPerMonth       = ast.StringTerm(api.LimitTIKPerMonth)
	nameJobsToday         = ast.StringTerm("jobsToday")
	nameJobsThisMonth     = ast.StringTerm("jobsThisMonth")
	nameRunningJobs       = ast.StringTerm("runningJobs")
	nameTIKThisMonth      = ast.StringTerm("tikThisMonth")
)

// words holds the terms of the values that most inputs have.
var words = func() map[string]*ast.Term {
	m := map[string]*ast.Term{"": ast.InternedEmptyString}
	for _, action := range Actions() {
		m[string(action)] = ast.StringTerm(string(action))
	}
	for _, state := range []string{KeyActive, KeyDisabled, KeyRevoked} {
		m[state] = ast.StringTerm(state)
	}
	return m
}()

// Value returns the input as OPA's own data type. It equals the input's JSON,
// and costs a small part of what the way by JSON does.
func (in Input) Value() ast.Value {
	var b inputBuilder
	return ast.NewObject(
		ast.Item(nameAction, b.text(string(in.Action))),
		ast.Item(nameKey, b.key(in.Key)),
		ast.Item(nameProject, b.project(in.Project)),
		ast.Item(nameUsage, b.usage(in.Usage)),
	)
}

// inputBuilder makes the terms of one input, most of them in one allocation.
type inputBuilder struct {
	terms []ast.Term
}

func (b *inputBuilder) term(v ast.Value) *ast.Term {
	if len(b.terms) == 0 {
		b.terms = make([]ast.Term, 16)
	}
	t := &b.terms[0]
	b.terms = b.terms[1:]
	t.Value = v
	return t
}

func (b *inputBuilder) text(s string) *ast.Term {
	if t, ok := words[s]; ok {
		return t
	}
	return b.term(ast.String(s))
}

func (b *inputBuilder) key(k *Key) *ast.Term {
	if k == nil {
		return ast.InternedNullTerm
	}
	return b.term(ast.NewObject(
		ast.Item(nameID, b.text(k.ID)),
		ast.Item(nameUserID, b.text(k.UserID)),
		ast.Item(nameState, b.text(k.State)),
		ast.Item(nameLimits, b.term(ast.NewObject(
			ast.Item(nameJobsPerDay, b.countLimit(k.Limits.JobsPerDay)),
			ast.Item(nameJobsPerMonth, b.countLimit(k.Limits.JobsPerMonth)),
			ast.Item(nameMaxConcurrentJobs, b.countLimit(k.Limits.MaxConcurrentJobs)),
			ast.Item(nameTIKPerMonth, b.tikLimit(k.Limits.TIKPerMonth)),
		))),
	))
}

func (b *inputBuilder) project(p *Project) *ast.Term {
	if p == nil {
		return ast.InternedNullTerm
	}
	return b.term(ast.NewObject(
		ast.Item(nameID, b.text(p.ID)),
		ast.Item(nameOwnerID, b.text(p.OwnerID)),
		ast.Item(nameAttributes, b.attributes(p.Attributes)),
	))
}

func (b *inputBuilder) usage(u *Usage) *ast.Term {
	if u == nil {
		return ast.InternedNullTerm
	}
	return b.term(ast.NewObject(
		ast.Item(nameJobsToday, b.count(u.JobsToday)),
		ast.Item(nameJobsThisMonth, b.count(u.JobsThisMonth)),
		ast.Item(nameRunningJobs, b.count(u.RunningJobs)),
		ast.Item(nameTIKThisMonth, b.tik(u.TIKThisMonth)),
	))
}

func (b *inputBuilder) attributes(m map[string]string) *ast.Term {
	switch {
	case m == nil:
		return ast.InternedNullTerm
	case len(m) == 0:
		return ast.InternedEmptyObject
	}
	items := make([][2]*ast.Term, 0, len(m)) // in any order: an object sorts its members itself
	for name, value := range m {
		items = append(items, ast.Item(b.text(name), b.text(value)))
	}
	return b.term(ast.NewObject(items...))
}

func (b *inputBuilder) countLimit(n *int64) *ast.Term {
	if n == nil {
		return ast.InternedNullTerm
	}
	return b.count(*n)
}

func (b *inputBuilder) tikLimit(t *api.TIK) *ast.Term {
	if t == nil {
		return ast.InternedNullTerm
	}
	return b.tik(*t)
}

func (b *inputBuilder) count(n int64) *ast.Term {
	if ast.HasInternedIntNumberTerm(int(n)) && int64(int(n)) == n {
		return ast.InternedTerm(n)
	}
	return b.term(ast.Number(strconv.FormatInt(n, 10)))
}

func (b *inputBuilder) tik(t api.TIK) *ast.Term { return b.term(ast.Number(t.String())) }

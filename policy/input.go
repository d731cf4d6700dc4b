package policy

import (
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

// Value returns the input as OPA's own data type. It equals the input's JSON,
// and costs a small part of what the way by JSON does.
func (in Input) Value() ast.Value { return in.term().Value }

func (in Input) term() *ast.Term {
	if in.Key != nil && in.Key.poll != nil && *in.Key.poll.of == in {
		return in.Key.poll.term
	}
	value := ast.NewObject(
		member("action", text(string(in.Action))),
		member("key", orNull(in.Key, Key.term)),
		member("project", orNull(in.Project, Project.term)),
		member("usage", orNull(in.Usage, Usage.term)),
	)
	if in.User != nil {
		value.Insert(text("user"), in.User.term())
	}
	if in.Target != nil {
		value.Insert(text("target"), in.Target.term())
	}
	if in.Request != nil {
		value.Insert(text("request"), in.Request.term())
	}
	return ast.NewTerm(value)
}

var null = ast.NullTerm()

func orNull[T any](v *T, term func(T) *ast.Term) *ast.Term {
	if v == nil {
		return null
	}
	return term(*v)
}

func (u User) term() *ast.Term {
	members := [4][2]*ast.Term{member("id", text(u.ID)), member("via", text(u.Via))}
	all := optional(members[:2], "state", u.State)
	if len(u.Attributes) > 0 {
		all = append(all, member("attributes", textsOf(u.Attributes)))
	}
	return ast.ObjectTerm(all...)
}

func (t Target) term() *ast.Term {
	var members [][2]*ast.Term
	for _, fact := range [...]struct{ name, value string }{{"userId", t.UserID}, {"keyId", t.KeyID}, {"state", t.State}} {
		members = optional(members, fact.name, fact.value)
	}
	if len(t.Attributes) > 0 {
		members = append(members, member("attributes", textsOf(t.Attributes)))
	}
	return ast.ObjectTerm(members...)
}

func (r Request) term() *ast.Term {
	members := make([][2]*ast.Term, 0, 4)
	for _, fact := range [...]struct{ name, value string }{{"ip", r.IP}, {"time", r.Time}, {"method", r.Method}, {"userAgent", r.UserAgent}} {
		members = optional(members, fact.name, fact.value)
	}
	return ast.ObjectTerm(members...)
}

// poll is an input that is asked about again and again, of a key that is prepared.
type poll struct {
	of   *Input // nothing else is equal to it
	term *ast.Term
}

// Prepare makes the facts about a key and a project quick to decide on many times, polls on
// them most. They must not be changed after that; either may be nil.
func Prepare(k *Key, p *Project) {
	if p != nil {
		p.prepared = p.term()
	}
	if k != nil {
		k.prepared = k.term()
		of := Input{Action: ActionStatus, Key: k, Project: p}
		k.poll = &poll{&of, of.term()}
	}
}

func (k Key) term() *ast.Term {
	if k.prepared != nil {
		return k.prepared
	}
	members := [8][2]*ast.Term{
		member("id", text(k.ID)),
		member("userId", text(k.UserID)),
		member("state", text(k.State)),
		member("limits", ast.ObjectTerm(
			member(api.LimitJobsPerDay, orNull(k.Limits.JobsPerDay, count)),
			member(api.LimitJobsPerMonth, orNull(k.Limits.JobsPerMonth, count)),
			member(api.LimitMaxConcurrentJobs, orNull(k.Limits.MaxConcurrentJobs, count)),
			member(api.LimitTIKPerMonth, orNull(k.Limits.TIKPerMonth, tik)),
		)),
	}
	all := optional(members[:4], "userState", k.UserState)
	if k.Scopes != nil {
		all = append(all, member("scopes", scopes(k.Scopes)))
	}
	if len(k.Labels) > 0 {
		all = append(all, member("labels", textsOf(k.Labels)))
	}
	if len(k.UserAttributes) > 0 {
		all = append(all, member("userAttributes", textsOf(k.UserAttributes)))
	}
	return ast.ObjectTerm(all...)
}

// usualScopes are those of most keys, made once.
var usualScopes = map[string]*ast.Term{
	ScopeFull: ast.ArrayTerm(ast.StringTerm(ScopeFull)),
	ScopeRead: ast.ArrayTerm(ast.StringTerm(ScopeRead)),
}

func scopes(names []string) *ast.Term {
	if len(names) == 1 && usualScopes[names[0]] != nil {
		return usualScopes[names[0]]
	}
	terms := make([]*ast.Term, len(names))
	for i, name := range names {
		terms[i] = text(name)
	}
	return ast.ArrayTerm(terms...)
}

func textsOf(values map[string]string) *ast.Term {
	members := ast.NewObject()
	for name, value := range values {
		members.Insert(text(name), text(value))
	}
	return ast.NewTerm(members)
}

// optional adds a member that is not there when it is empty.
func optional(members [][2]*ast.Term, name, value string) [][2]*ast.Term {
	if value == "" {
		return members
	}
	return append(members, member(name, text(value)))
}

func (p Project) term() *ast.Term {
	if p.prepared != nil {
		return p.prepared
	}
	attributes := null
	if p.Attributes != nil {
		attributes = textsOf(p.Attributes)
	}
	members := [4][2]*ast.Term{member("id", text(p.ID)), member("ownerId", text(p.OwnerID)), member("attributes", attributes)}
	if len(p.AdminAttributes) == 0 {
		return ast.ObjectTerm(members[:3]...)
	}
	members[3] = member("adminAttributes", textsOf(p.AdminAttributes))
	return ast.ObjectTerm(members[:]...)
}

func (u Usage) term() *ast.Term {
	return ast.ObjectTerm(
		member("jobsToday", count(u.JobsToday)),
		member("jobsThisMonth", count(u.JobsThisMonth)),
		member("runningJobs", count(u.RunningJobs)),
		member("tikThisMonth", tik(u.TIKThisMonth)),
	)
}

func member(name string, value *ast.Term) [2]*ast.Term { return ast.Item(text(name), value) }

// interned holds the terms of texts that most inputs have, made once.
var interned = func() map[string]*ast.Term {
	m := map[string]*ast.Term{}
	for _, name := range []string{
		"action", "key", "project", "usage", "user", "via", "id", "userId", "userState", "userAttributes", "scopes", "labels", "state", "limits", "ownerId", "attributes", "adminAttributes",
		"request", "ip", "time", "method", "userAgent",
		"jobsToday", "jobsThisMonth", "runningJobs", "tikThisMonth",
		api.LimitJobsPerDay, api.LimitJobsPerMonth, api.LimitMaxConcurrentJobs, api.LimitTIKPerMonth,
		KeyActive, KeyDisabled, KeyRevoked, UserSuspended, ViaConsole, ViaAdmin, "allow", "status", "error", "reason", "limit", "rule",
	} {
		m[name] = ast.StringTerm(name)
	}
	for _, action := range Actions() {
		m[string(action)] = ast.StringTerm(string(action))
	}
	return m
}()

func text(s string) *ast.Term {
	if t, ok := interned[s]; ok {
		return t
	}
	return ast.StringTerm(s)
}

func count(n int64) *ast.Term { return number(strconv.FormatInt(n, 10)) }

func tik(t api.TIK) *ast.Term { return number(t.String()) }

// number returns the term of small whole numbers that OPA has already, as most usages are.
func number(text string) *ast.Term {
	if t := ast.InternedIntNumberTermFromString(text); t != nil {
		return t
	}
	return ast.NewTerm(ast.Number(text))
}

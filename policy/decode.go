package policy

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

// object reads the members of a policy's result one by one and knows at the
// end whether there were others. The first error stands.
type object struct {
	name    string
	members ast.Object
	read    int
	err     error
}

func newObject(name string, v ast.Value) object {
	members, ok := v.(ast.Object)
	o := object{name: name, members: members}
	if !ok {
		o.members = ast.NewObject()
		o.err = fmt.Errorf("reading decision: %s is not an object", name)
	}
	return o
}

// fail notes that the member is not what it should be.
func (o *object) fail(name string, problem string) {
	if o.err == nil {
		o.err = fmt.Errorf("reading decision: %s.%s %s", o.name, name, problem)
	}
}

// take returns the value of a member, nil if it is not there.
func (o *object) take(name string) ast.Value {
	t := o.members.Get(text(name))
	if t == nil {
		return nil
	}
	o.read++
	return t.Value
}

func (o *object) text(name string, required bool) string {
	v := o.take(name)
	if v == nil && !required {
		return ""
	}
	s, ok := v.(ast.String)
	if !ok {
		o.fail(name, "is not a string")
	}
	return string(s)
}

func (o *object) flag(name string) bool {
	b, ok := o.take(name).(ast.Boolean)
	if !ok {
		o.fail(name, "is not a boolean")
	}
	return bool(b)
}

func (o *object) whole(name string) int {
	n, ok := o.take(name).(ast.Number)
	if !ok {
		o.fail(name, "is not a number")
		return 0
	}
	i, err := strconv.Atoi(string(n))
	if err != nil {
		o.fail(name, "is not a whole number")
	}
	return i
}

// limit returns the text of a limit, "" for null.
func (o *object) limit(name string) string {
	switch v := o.take(name).(type) {
	case ast.Null:
	case ast.Number:
		return string(v)
	default:
		o.fail(name, "is neither null nor a number")
	}
	return ""
}

func (o *object) count(name string) *int64 {
	text := o.limit(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		o.fail(name, "is not a whole number of zero or more")
	}
	return &n
}

func (o *object) tik(name string) *api.TIK {
	text := o.limit(name)
	if text == "" {
		return nil
	}
	t, err := api.ParseTIK(text)
	if err != nil {
		o.fail(name, "is not an amount of TIK: "+err.Error())
	}
	return &t
}

// done returns the first error; a member that nobody read is one.
func (o *object) done() error {
	if o.err == nil && o.read != o.members.Len() {
		o.err = fmt.Errorf("reading decision: %s has unknown members", o.name)
	}
	return o.err
}

// decodeDecision reads the policy's result and refuses everything that is not
// exactly a decision: a half-understood answer must not let a request through.
func decodeDecision(v ast.Value) (Decision, error) {
	o := newObject("decision", v)
	d := Decision{
		Allow:  o.flag("allow"),
		Status: o.whole("status"),
		Error:  o.text("error", true),
		Reason: o.text("reason", false),
		Limit:  o.text("limit", false),
		Rule:   o.text("rule", true),
	}
	rawLimits := o.take("limits")
	if err := o.done(); err != nil {
		return Decision{}, err
	}
	limits := newObject("decision.limits", rawLimits)
	d.Limits = Limits{
		JobsPerDay:        limits.count(api.LimitJobsPerDay),
		JobsPerMonth:      limits.count(api.LimitJobsPerMonth),
		MaxConcurrentJobs: limits.count(api.LimitMaxConcurrentJobs),
		TIKPerMonth:       limits.tik(api.LimitTIKPerMonth),
	}
	if err := limits.done(); err != nil {
		return Decision{}, err
	}
	if err := d.check(); err != nil {
		return Decision{}, fmt.Errorf("checking decision of rule %q: %w", d.Rule, err)
	}
	return d, nil
}

// Check holds the members of a decision against each other. Whoever gets one
// from another process calls it: an answer that lacks a member must not let a
// request through. Its error wraps ErrNoDecision and ErrMalformed.
func (d Decision) Check() error {
	if err := d.check(); err != nil {
		return fmt.Errorf("%w: %w: checking decision of rule %q: %w", ErrNoDecision, ErrMalformed, d.Rule, err)
	}
	return nil
}

func (d Decision) check() error {
	if d.Rule == "" {
		return fmt.Errorf("it names no rule")
	}
	if d.Allow != (d.Status == http.StatusOK) {
		return fmt.Errorf("allow is %t with status %d", d.Allow, d.Status)
	}
	if d.Allow != (d.Error == "") {
		return fmt.Errorf("a refusal has an error message and nothing else has one")
	}
	switch d.Status {
	case http.StatusOK, http.StatusForbidden:
		if d.Reason != "" || d.Limit != "" {
			return fmt.Errorf("reason and limit do not go with status %d", d.Status)
		}
	case http.StatusUnauthorized:
		if d.Reason == "" || d.Limit != "" {
			return fmt.Errorf("status 401 goes with a reason and no limit")
		}
	case http.StatusTooManyRequests:
		if d.Reason != api.ReasonLimitExceeded || !knownLimit(d.Limit) {
			return fmt.Errorf("status 429 goes with reason %s and one of the four limits", api.ReasonLimitExceeded)
		}
	default:
		return fmt.Errorf("status %d is not one of 200, 401, 403, 429", d.Status)
	}
	return nil
}

func knownLimit(name string) bool {
	switch name {
	case api.LimitJobsPerDay, api.LimitJobsPerMonth, api.LimitMaxConcurrentJobs, api.LimitTIKPerMonth:
		return true
	}
	return false
}

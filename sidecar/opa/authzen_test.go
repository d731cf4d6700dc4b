package opa_test

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/opa"
)

// evaluationOf puts an input into the words of AuthZEN.
func evaluationOf(t *testing.T, in policy.Input) string {
	t.Helper()
	subject, resource := map[string]any{"type": "unknown", "id": "-"}, map[string]any{"type": "service", "id": "svc"}
	switch {
	case in.Key != nil:
		subject = entityOf(t, "key", in.Key)
	case in.User != nil:
		subject = entityOf(t, "user", in.User)
	}
	if in.Project != nil {
		resource = entityOf(t, "project", in.Project)
	}
	facts := map[string]any{"usage": in.Usage}
	if in.Request != nil {
		facts["request"] = in.Request
	}
	body, err := json.Marshal(map[string]any{
		"subject": subject, "action": map[string]any{"name": in.Action}, "resource": resource, "context": facts,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// entityOf has all members but the id as properties.
func entityOf(t *testing.T, kind string, of any) map[string]any {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	var properties map[string]any
	if err := json.Unmarshal(text, &properties); err != nil {
		t.Fatal(err)
	}
	id := properties["id"]
	delete(properties, "id")
	return map[string]any{"type": kind, "id": id, "properties": properties}
}

// example is the policy of an example.
func example(t *testing.T, name string) *fixed {
	t.Helper()
	evaluator, err := policy.NewEvaluator(os.DirFS(policytest.ExampleOf(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return &fixed{generation: &activation.Generation{Info: activation.Info{Revision: evaluator.Revision()}, Evaluator: evaluator}}
}

// TestAuthZENTakesEachFactThatAPolicyReads asks with users without a key, scopes, labels,
// states of users, attributes of admins and facts of requests; without the fact the rule is
// another one.
func TestAuthZENTakesEachFactThatAPolicyReads(t *testing.T) {
	red := edited(t, "svc/key/key.rego", "\tinput.key.state == \"active\"\n", "\tinput.key.state == \"active\"\n\tinput.key.labels.team == \"red\"\n")
	with := func(change func(*policy.Input)) policy.Input {
		in := verify.Poll()
		key, project := *in.Key, *in.Project
		in.Key, in.Project = &key, &project
		change(&in)
		return in
	}
	console := func(via, state string, action policy.Action) policy.Input {
		return with(func(in *policy.Input) {
			in.Key, in.User, in.Action = nil, &policy.User{ID: in.Project.OwnerID, Via: via, State: state}, action
		})
	}
	submission := verify.Submission()
	submission.Project = &policy.Project{ID: "p", OwnerID: "user-1", AdminAttributes: map[string]string{"hours": "00:00-06:00"}}
	for name, tt := range map[string]struct {
		by   *fixed
		in   policy.Input
		rule string
	}{
		"a user of the console": {shipped(t), console(policy.ViaConsole, policy.UserActive, policy.ActionStatus), "allowed"},
		"a suspended one":       {shipped(t), console(policy.ViaConsole, policy.UserSuspended, policy.ActionStatus), "user.suspended"},
		"an admin":              {shipped(t), console(policy.ViaAdmin, "", policy.ActionAdminRead), "allowed"},
		"a key's user's state":  {shipped(t), with(func(in *policy.Input) { in.Key.UserState = policy.UserSuspended }), "user.suspended"},
		"scopes":                {shipped(t), with(func(in *policy.Input) { in.Key.Scopes, in.Action = []string{policy.ScopeRead}, policy.ActionCancel }), "key.scope"},
		"a label":               {red, with(func(in *policy.Input) { in.Key.Labels = map[string]string{"team": "red"} }), "allowed"},
		"another label":         {red, with(func(in *policy.Input) { in.Key.Labels = map[string]string{"team": "blue"} }), "key.invalid"},
		"an admin's hours":      {example(t, "hours"), submission, "project.closed"},
		"an admin's networks": {example(t, "addresses"), with(func(in *policy.Input) {
			in.Project.AdminAttributes = map[string]string{"networks": "198.51.100.0/24"}
		}), "project.elsewhere"},
		"an address in them": {example(t, "addresses"), with(func(in *policy.Input) {
			in.Project.AdminAttributes = map[string]string{"networks": "198.51.100.0/24"}
			in.Request = &policy.Request{IP: "198.51.100.7", Time: in.Request.Time}
		}), "allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := asSame(t, opa.Handler(tt.by), tt.in); got.Rule != tt.rule {
				t.Errorf("decided by %s, want %s", got.Rule, tt.rule)
			}
		})
	}
}

// edited is the shipped policy with a text replaced.
func edited(t *testing.T, file, old, now string) *fixed {
	t.Helper()
	src, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	src[file] = []byte(strings.Replace(string(src[file]), old, now, 1))
	evaluator, err := policy.NewEvaluator(src)
	if err != nil {
		t.Fatal(err)
	}
	return &fixed{generation: &activation.Generation{Info: activation.Info{Revision: evaluator.Revision()}, Evaluator: evaluator}}
}

// TestAuthZENAndOPADecideAlike asks both about each action, with keys of each state,
// of the owner and others, with and without project, within and over limits.
func TestAuthZENAndOPADecideAlike(t *testing.T) {
	h := opa.Handler(shipped(t))
	n := 0
	for _, action := range policy.Actions() {
		for _, base := range []policy.Input{verify.Poll(), verify.Submission()} {
			for _, state := range []string{policy.KeyActive, policy.KeyRevoked, "other"} {
				for _, user := range []string{base.Key.UserID, "somebody"} {
					key := *base.Key
					key.State, key.UserID = state, user
					for _, in := range []policy.Input{
						{Action: action, Key: &key, Project: base.Project, Usage: base.Usage}, {Action: action, Key: &key, Usage: base.Usage},
						{Action: action, Project: base.Project}, {Action: action, Key: &key, Project: base.Project, Usage: &policy.Usage{JobsToday: 1 << 40}},
					} {
						n++
						asSame(t, h, in)
					}
				}
			}
		}
	}
	if n != len(policy.Actions())*2*3*2*4 {
		t.Errorf("%d questions", n)
	}
}

func asSame(t *testing.T, h http.Handler, in policy.Input) policy.Decision {
	t.Helper()
	asked, err := json.Marshal(map[string]any{"input": in})
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct{ Result policy.Decision }
	var ours struct {
		Decision *bool
		Context  struct {
			Reason, Code, Limit, Rule string
			Status                    int
			Limits                    policy.Limits
		}
	}
	one := request{method: "POST", path: decide, body: string(asked)}.send(h)
	other := request{method: "POST", path: opa.Evaluations, body: evaluationOf(t, in)}.send(h)
	if json.Unmarshal(one.Body.Bytes(), &theirs) != nil || json.Unmarshal(other.Body.Bytes(), &ours) != nil || ours.Decision == nil {
		t.Fatalf("%s: %d %s, %d %s", asked, one.Code, one.Body, other.Code, other.Body)
	}
	c := ours.Context
	got := policy.Decision{Allow: *ours.Decision, Status: c.Status, Error: c.Reason, Reason: c.Code, Limit: c.Limit, Limits: c.Limits, Rule: c.Rule}
	if !reflect.DeepEqual(got, theirs.Result) {
		t.Errorf("%s: AuthZEN says %+v, OPA %+v", asked, got, theirs.Result)
	}
	return got
}

func TestAQuestionOfAuthZENIsReadStrictly(t *testing.T) {
	h := opa.Handler(shipped(t))
	good := evaluationOf(t, verify.Poll())
	if w := (request{method: "POST", path: opa.Evaluations, body: good, header: [2]string{"X-Request-ID", "r-1"}}).send(h); w.Code != http.StatusOK ||
		w.Header().Get("X-Request-ID") != "r-1" || !strings.Contains(w.Body.String(), `"decision":true`) {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	for _, tt := range []struct{ old, now, says string }{
		{`"subject":`, `"subjekt":`, "subjekt is not a member"},
		{`"type":"key"`, `"type":"usage"`, "subject.type is"},
		{`"type":"project"`, `"type":"key"`, "resource.type is"},
		{`"type":"project"`, `"type":"service"`, "has no properties"},
		{`"state":"active"`, `"state":"active","colour":1`, "key.colour is not a member"},
		{`"state":"active"`, `"state":"revoked","state":"active"`, "given twice"},
		{`"state":"active"`, `"state":"active","id":"x"`, "properties.id is given twice"},
		{`"usage":null`, `"usage":null,"key":{}`, "context.key is given twice"},
		{`"usage":null`, `"usage":null,"weather":{}`, "weather is not a member"},
		{`"name":"status"`, `"name":""`, "action.name is missing"},
		{`"name":"status"`, `"name":"status","properties":{"a":1}`, "is not a member"},
		{`"id":"` + verify.Poll().Key.ID + `"`, `"id":""`, "need an id"},
		{good, "", "EOF"},
	} {
		if !strings.Contains(good, tt.old) {
			t.Fatalf("%s has no %s", good, tt.old)
		}
		w := request{method: "POST", path: opa.Evaluations, body: strings.Replace(good, tt.old, tt.now, 1)}.send(h)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s: %d %s; want %q", tt.now, w.Code, w.Body, tt.says)
		}
	}
	if w := (request{method: "GET", path: opa.Evaluations}).send(h); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", w.Code, w.Header())
	}
	if w := (request{method: "POST", path: opa.Evaluations, body: good}).send(opa.Handler(new(fixed))); w.Code != http.StatusInternalServerError {
		t.Errorf("without a policy: %d", w.Code)
	}
	if w := (request{method: "POST", path: opa.Evaluations, body: strings.Repeat(" ", 2<<20)}).send(h); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", w.Code)
	}
}

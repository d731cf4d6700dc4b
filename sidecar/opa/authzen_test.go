package opa_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/opa"
)

// evaluationOf puts an input into the words of AuthZEN.
func evaluationOf(t *testing.T, in policy.Input) string {
	t.Helper()
	subject, resource := map[string]any{"type": "unknown", "id": "-"}, map[string]any{"type": "service", "id": "svc"}
	if k := in.Key; k != nil {
		subject = map[string]any{"type": "key", "id": k.ID, "properties": map[string]any{"userId": k.UserID, "state": k.State, "limits": k.Limits}}
	}
	if p := in.Project; p != nil {
		resource = map[string]any{"type": "project", "id": p.ID, "properties": map[string]any{"ownerId": p.OwnerID, "attributes": p.Attributes}}
	}
	body, err := json.Marshal(map[string]any{
		"subject": subject, "action": map[string]any{"name": in.Action}, "resource": resource, "context": map[string]any{"usage": in.Usage},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
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

func asSame(t *testing.T, h http.Handler, in policy.Input) {
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

package opa_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/opa"
)

// TestADecisionThatIsAskedForIsExplained: whoever acts on it can find out how it came about,
// by the id in the answer.
func TestADecisionThatIsAskedForIsExplained(t *testing.T) {
	f, path := shipped(t), filepath.Join(t.TempDir(), decisionlog.FileName)
	var err error
	if f.log, err = decisionlog.Open(decisionlog.Options{Path: path, Sample: 1}); err != nil {
		t.Fatal(err)
	}
	h := opa.Handler(f)
	in := verify.Poll()
	other := *in.Project
	other.OwnerID, in.Project = "somebody", &other
	asked, err := json.Marshal(map[string]any{"input": in})
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		DecisionID string `json:"decision_id"`
		Result     policy.Decision
	}
	var ours struct {
		Context struct {
			DecisionID string `json:"decision_id"`
		}
	}
	one := request{method: "POST", path: decide, body: string(asked)}.send(h)
	two := request{method: "POST", path: opa.Evaluations, body: evaluationOf(t, in)}.send(h)
	if json.Unmarshal(one.Body.Bytes(), &theirs) != nil || json.Unmarshal(two.Body.Bytes(), &ours) != nil || theirs.Result.Status != http.StatusForbidden {
		t.Fatalf("%s, %s", one.Body, two.Body)
	}
	for name, q := range map[string]request{
		"another document": {method: "POST", path: "/v1/data/svc/authz/allow", body: string(asked)},
		"no input":         {method: "POST", path: decide, body: "{}"},
	} {
		if w := q.send(h); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "decision_id") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := decisionlog.OpenAll(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	all, err := decisionlog.Select(log, decisionlog.Filter{}, 0)
	if err != nil || len(all.Records) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, id := range []string{theirs.DecisionID, ours.Context.DecisionID} {
		r := all.Records[i]
		if id == "" || r.DecisionID != id || r.Path != decisionlog.AskedPath || r.Revision() != f.generation.Revision || !reflect.DeepEqual(*r.Result, theirs.Result) {
			t.Errorf("%q: recorded %+v", id, r)
		}
		if got, want := r.Input.Value(), in.Value(); got.Compare(want) != 0 {
			t.Errorf("%q: decided on %s, recorded %s", id, want, got)
		}
	}
}

// TestADecisionThatCanNotBeRecordedIsNoAnswer: where all must be.
func TestADecisionThatCanNotBeRecordedIsNoAnswer(t *testing.T) {
	f := shipped(t)
	f.full = errors.New("the disk is full")
	for path, body := range map[string]string{decide: `{"input":` + input + `}`, opa.Evaluations: evaluationOf(t, verify.Poll())} {
		if w := (request{method: "POST", path: path, body: body}).send(opa.Handler(f)); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "allow") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

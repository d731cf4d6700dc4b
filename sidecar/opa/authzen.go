package opa

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/server/writer"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// Evaluations is the address of AuthZEN's Access Evaluation API, version 1.0.
const Evaluations = "/access/v1/evaluation"

// entity is a subject or a resource of AuthZEN.
type entity struct {
	Type       string                     `json:"type"`
	ID         string                     `json:"id"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// evaluation is a question of AuthZEN.
type evaluation struct {
	Subject entity `json:"subject"`
	Action  struct {
		Name       string   `json:"name"`
		Properties struct{} `json:"properties"` // none is known
	} `json:"action"`
	Resource entity                     `json:"resource"`
	Context  map[string]json.RawMessage `json:"context"`
}

// evaluated is its answer.
type evaluated struct {
	Decision bool             `json:"decision"`
	Context  evaluatedContext `json:"context"`
}

// evaluatedContext is the policy's decision but for allow, and whose it is.
type evaluatedContext struct {
	Reason   string        `json:"reason,omitempty"` // for people
	Code     string        `json:"code,omitempty"`   // the decision's reason
	Status   int           `json:"status"`
	Limit    string        `json:"limit,omitempty"`
	Limits   policy.Limits `json:"limits"`
	Rule     string        `json:"rule"`
	Revision string        `json:"revision"`
	// DecisionID names the record in the decision log; it is left out where there is none.
	DecisionID string `json:"decision_id,omitempty"`
}

// evaluate answers whether a subject may do something to a resource. The facts
// are those of the question: it is the input of the decision in other words, and
// read as strictly.
func (s *server) evaluate(w http.ResponseWriter, r *http.Request) {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		w.Header().Set("X-Request-Id", id)
	}
	g, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	in, err := readEvaluation(r)
	if err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		writer.ErrorString(w, status, types.CodeInvalidParameter, err)
		return
	}
	begin := time.Now()
	d, err := g.Evaluator.Decide(r.Context(), in)
	var id string
	if err == nil {
		id, err = s.policy.Asked(decisionlog.Entry{At: begin, Took: time.Since(begin), Evaluator: g.Evaluator, Input: in, Decision: d})
	}
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	writer.JSONOK(w, evaluated{d.Allow, evaluatedContext{
		Reason: d.Error, Code: d.Reason, Status: d.Status, Limit: d.Limit, Limits: d.Limits, Rule: d.Rule, Revision: g.Revision, DecisionID: id,
	}}, flag(r, types.ParamPrettyV1))
}

func readEvaluation(r *http.Request) (policy.Input, error) {
	var in policy.Input
	var e evaluation
	body, err := readAll(r)
	if err == nil {
		err = decodeStrict(body, &e)
	}
	if err == nil {
		body, err = e.input()
	}
	if err == nil {
		err = decodeStrict(body, &in)
	}
	if err != nil {
		return in, fmt.Errorf("body contains malformed evaluation request: %w", err)
	}
	return in, nil
}

// Types of resources and subjects beside those that the input has by the same name.
const (
	noResource = "service" // the action is on no project
	noSubject  = "unknown" // a key that no one has
)

// input returns the input of the decision as JSON.
func (e evaluation) input() ([]byte, error) {
	switch {
	case e.Action.Name == "":
		return nil, errors.New("action.name is missing")
	case e.Subject.ID == "" || e.Resource.ID == "":
		return nil, errors.New("subject and resource need an id")
	case !slices.Contains([]string{"key", "user", noSubject}, e.Subject.Type):
		return nil, fmt.Errorf("subject.type is %q: want key, user, or %s for a key that no one has", e.Subject.Type, noSubject)
	case !slices.Contains([]string{"project", noResource}, e.Resource.Type):
		return nil, fmt.Errorf("resource.type is %q: want project, or %s for no project", e.Resource.Type, noResource)
	}
	all := map[string]any{"action": e.Action.Name}
	for name, fact := range e.Context {
		if name == "action" || name == e.Subject.Type || name == e.Resource.Type {
			return nil, fmt.Errorf("context.%s is given twice", name)
		}
		all[name] = fact
	}
	for _, one := range []entity{e.Subject, e.Resource} {
		if one.Type == noSubject || one.Type == noResource {
			if len(one.Properties) > 0 {
				return nil, fmt.Errorf("what is of type %s has no properties", one.Type)
			}
			continue
		}
		facts := map[string]any{"id": one.ID}
		for name, fact := range one.Properties {
			if name == "id" {
				return nil, fmt.Errorf("%s.properties.id is given twice", one.Type)
			}
			facts[name] = fact
		}
		all[one.Type] = facts
	}
	return json.Marshal(all)
}

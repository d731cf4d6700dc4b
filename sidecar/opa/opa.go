// Package opa serves the policy in force over the part of OPA's REST API that
// reads: reviewers use curl and OPA's own tools on it, and other proxies ask
// it for decisions. Statuses and bodies are OPA's. Nothing here changes the
// policy: that goes through package activation alone.
//
//	POST /v1/data/{path}      {"input": …}   a document, decisions among them
//	GET  /v1/data/{path}?input=…
//	GET  /v1/policies                        the texts of the rules
//	GET  /v1/policies/{id}
//	GET  /health                             200 while a policy is in force
//	GET  /health?bundles                     and 500 while a newer one was refused
//	POST /access/v1/evaluation               a decision, as AuthZEN asks for it
//
// Decisions are in the decision log, under a path of their own since their facts are the
// asker's, and decision_id names the record. Answers have none where there is no record: of
// other documents, and of all but the first of very many decisions in a minute.
//
// The parameters explain, metrics, instrument, provenance, pretty, rule_labels
// and strict-builtin-errors are those of OPA. Unlike OPA, the input of the
// decision itself is read strictly: a member that is unknown, or comes twice,
// is answered with 400.
package opa

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/server/writer"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
)

const (
	// BundleName is what the policy is called where OPA names bundles.
	BundleName = "svc"
	// maxBody bounds a request's body, compressed or not, in bytes.
	maxBody = 1 << 20
	// timeout bounds an evaluation.
	timeout = 5 * time.Second
)

// Policy is what is served.
type Policy interface {
	// Active returns the generation in force.
	Active() *activation.Generation
	// PolicyProblem says why a newer policy is not in force, "" if there is
	// none.
	PolicyProblem() string
	// Asked records a decision, and returns the id of its record, "" for none. After an
	// error the decision must not be told.
	Asked(decisionlog.Entry) (id string, err error)
}

// server answers each request by the generation that is in force when it
// comes.
type server struct{ policy Policy }

// Handler serves a policy.
func Handler(p Policy) http.Handler {
	s := &server{p}
	mux := http.NewServeMux()
	for _, path := range []string{"/v1/data", "/v1/data/{path...}"} {
		mux.HandleFunc("POST "+path, s.postData)
		mux.HandleFunc("GET "+path, s.getData)
		mux.HandleFunc(path, notAllowed("GET, HEAD, POST"))
	}
	mux.HandleFunc("GET /v1/policies", s.listPolicies)
	mux.HandleFunc("GET /v1/policies/{path...}", s.getPolicy)
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("POST "+Evaluations, s.evaluate)
	mux.HandleFunc(Evaluations, notAllowed("POST"))
	for _, path := range []string{"/v1/policies", "/v1/policies/{path...}", "/health"} {
		mux.HandleFunc(path, notAllowed("GET, HEAD"))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
}

func notAllowed(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allow)
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// active returns the generation in force.
func (s *server) active() (*activation.Generation, error) {
	if g := s.policy.Active(); g != nil {
		return g, nil
	}
	return nil, errors.New("no policy is in force")
}

// health tells whether decisions can be made.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	g, err := s.active()
	if err == nil {
		_, err = g.Evaluator.Decide(r.Context(), policy.Input{Action: policy.ActionAuthenticate})
	}
	if err != nil {
		unhealthy(w, "unable to perform evaluation")
		return
	}
	bundles := flag(r, types.ParamBundlesActivationV1) || flag(r, "bundle")
	if problem := s.policy.PolicyProblem(); bundles && problem != "" {
		unhealthy(w, "one or more bundles are not activated: "+BundleName+": "+problem)
		return
	}
	writer.JSONOK(w, types.HealthResponseV1{}, false)
}

func unhealthy(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	writer.JSONOK(w, types.HealthResponseV1{Error: why}, false)
}

// flag reports whether a parameter is set: bare, or to true.
func flag(r *http.Request, name string) bool {
	values := r.URL.Query()[name]
	return len(values) == 1 && values[0] == "" ||
		slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, "true") })
}

package opa_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/opa"
)

const decide = "/v1/data/svc/authz/decision"

func TestNothingCanBeWritten(t *testing.T) {
	f := shipped(t)
	h := opa.Handler(f)
	before := request{method: "GET", path: "/v1/policies"}.send(h).Body.String()
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		for _, path := range []string{
			"/v1/data", "/v1/data/svc", decide, "/v1/data/users", "/v1/policies", "/v1/policies/evil.rego",
			"/v1/policies/svc/authz/authz.rego", "/health",
		} {
			w := request{method: method, path: path, body: "package svc.authz\n\ndecision := true\n"}.send(h)
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
				t.Errorf("%s %s: %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
	for _, path := range []string{"/v1/query", "/v1/compile", "/v1/config", "/v0/data/svc", "/"} {
		if w := (request{method: "POST", path: path, body: `{"query":"true"}`}).send(h); w.Code != http.StatusNotFound {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
	if after := (request{method: "GET", path: "/v1/policies"}).send(h).Body.String(); after != before {
		t.Error("the policies changed")
	}
}

func TestInputOfADecisionIsReadStrictly(t *testing.T) {
	h := opa.Handler(shipped(t))
	bad := map[string]string{
		`{"input":{"action":"status","colour":1}}`:                               "input.colour is not a member",
		`{"input":{"action":"status","Key":null}}`:                               "input.Key is not a member",
		`{"input":{"action":"status","action":"generate"}}`:                      "input.action is given twice",
		`{"input":{"key":{"id":"a","state":"revoked","state":"active"}}}`:        "input.key.state is given twice",
		`{"input":{"key":{"limits":{"jobsPerYear":1}}}}`:                         "input.key.limits.jobsPerYear is not a member",
		`{"input":{"project":{"attributes":{"a":"1","a":"2"}}}}`:                 "input.project.attributes.a is given twice",
		`{"input":{"action":7}}`:                                                 "cannot unmarshal number",
		`{"input":{"usage":[]}}`:                                                 "cannot unmarshal array",
		`{"input":{},"input":{"action":"status"}}`:                               "input is given twice",
		`{"input":{},"unknown":1}`:                                               "unknown is not a member",
		`{"input":{}} {}`:                                                        "data after the value",
		`{"input":{"project":{"attributes":` + strings.Repeat(`{"a":`, 50) + `1`: "nested too deeply",
		`{"input":{"project":{"attributes":` + strings.Repeat(`[`, 50) + `1`:     "nested too deeply",
		`input: {}`: "invalid character",
	}
	for body, want := range bad {
		w := request{method: "POST", path: decide, body: body}.send(h)
		var answer struct{ Code, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusBadRequest ||
			answer.Code != "invalid_parameter" || !strings.Contains(answer.Message, want) {
			t.Errorf("%s: %d %s; want %q", body, w.Code, w.Body, want)
		}
	}
	for _, text := range []string{`{"colour":1}`, `{"action":"a","action":"b"}`} {
		if w := (request{method: "GET", path: decide + "?input=" + url.QueryEscape(text)}).send(h); w.Code != http.StatusBadRequest {
			t.Errorf("GET with %s: %d", text, w.Code)
		}
	}
}

// OPA 1.22 panics on such a body.
func TestBodyThatIsNotCompressedAsItSaysIsRefused(t *testing.T) {
	q := request{method: "POST", path: "/v1/data/svc/key", body: "not zipped", header: [2]string{"Content-Encoding", "gzip"}}
	if w := q.send(opa.Handler(shipped(t))); w.Code != http.StatusBadRequest {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestBodyThatIsTooLargeIsRefused(t *testing.T) {
	h := opa.Handler(shipped(t))
	large := `{"input":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, q := range []request{
		{method: "POST", path: "/v1/data/svc/key", body: large},
		{method: "POST", path: "/v1/data/svc/key", body: zipped(large), header: [2]string{"Content-Encoding", "gzip"}},
	} {
		if w := q.send(h); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%d %.200s", w.Code, w.Body)
		}
	}
}

func TestHealthShowsAPolicyThatWasRefused(t *testing.T) {
	f := shipped(t)
	f.problem = "step compile: svc/key/key.rego:3: error"
	h := opa.Handler(f)
	if w := (request{method: "GET", path: "/health"}).send(h); w.Code != http.StatusOK {
		t.Errorf("decisions are made: %d", w.Code)
	}
	w := request{method: "GET", path: "/health?bundles"}.send(h)
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "key.rego:3") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestWithoutAPolicyNothingIsAnswered(t *testing.T) {
	h := opa.Handler(new(fixed))
	for _, q := range []request{
		{method: "POST", path: decide, body: `{"input":` + input + `}`}, {method: "GET", path: decide},
		{method: "GET", path: "/v1/policies"}, {method: "GET", path: "/v1/policies/x"}, {method: "GET", path: "/health"},
	} {
		if w := q.send(h); w.Code != http.StatusInternalServerError {
			t.Errorf("%s: %d", q, w.Code)
		}
	}
}

func TestTheGenerationInForceIsServed(t *testing.T) {
	f := shipped(t)
	h := opa.Handler(f)
	ask := func() string {
		return request{method: "POST", path: decide + "?provenance", body: `{"input":` + input + `}`}.send(h).Body.String()
	}
	if body := ask(); !strings.Contains(body, f.generation.Revision) {
		t.Errorf("%s", body)
	}
	next := *f.generation
	next.Revision = "next"
	f.generation = &next
	if body := ask(); !strings.Contains(body, `"revision":"next"`) {
		t.Errorf("%s", body)
	}
}

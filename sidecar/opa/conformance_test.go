package opa_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/plugins"
	"github.com/open-policy-agent/opa/v1/server"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/opa"
)

// fixed serves one generation.
type fixed struct {
	generation *activation.Generation
	problem    string
	log        *decisionlog.Log // nil: there is none
	full       error            // why nothing can be recorded
}

func (f *fixed) Active() *activation.Generation { return f.generation }
func (f *fixed) PolicyProblem() string          { return f.problem }

func (f *fixed) Asked(asked decisionlog.Entry) (string, error) {
	if f.log == nil || f.full != nil {
		return "", f.full
	}
	asked.Path, asked.Repeats = decisionlog.AskedPath, true // as an engine has it
	return f.log.AddNamed(asked)
}

// shipped is the policy that is part of the program.
func shipped(t *testing.T) *fixed {
	t.Helper()
	evaluator := policytest.Embedded(t).Evaluator
	return &fixed{generation: &activation.Generation{Info: activation.Info{Revision: evaluator.Revision()}, Evaluator: evaluator}}
}

// theirs is OPA's own server with the same policy.
func theirs(t *testing.T, f *fixed) http.Handler {
	t.Helper()
	ctx, store := t.Context(), inmem.New()
	err := storage.Txn(ctx, store, storage.WriteParams, func(txn storage.Transaction) error {
		for id, text := range f.generation.Evaluator.Sources() {
			if err := store.UpsertPolicy(ctx, txn, id, []byte(text)); err != nil {
				return err
			}
		}
		return bundle.WriteManifestToStore(ctx, store, txn, opa.BundleName, bundle.Manifest{Revision: f.generation.Revision})
	})
	if err != nil {
		t.Fatal(err)
	}
	// The METADATA of rules count, as ours do.
	manager, err := plugins.New(nil, "test", store, plugins.WithParserOptions(ast.ParserOptions{ProcessAnnotation: true}))
	if err != nil {
		t.Fatal(err)
	}
	if err := manager.Start(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := server.New().WithStore(store).WithManager(manager).Init(ctx) // which has no log, and names no decision
	if err != nil {
		t.Fatal(err)
	}
	return s.Handler
}

const input = `{"action":"status","key":{"id":"key_1","userId":"ann","state":"active",
	"limits":{"jobsPerDay":3,"jobsPerMonth":null,"maxConcurrentJobs":null,"tikPerMonth":1.5}},
	"project":{"id":"p","ownerId":"ann","attributes":{"a":"b"}},"usage":null}`

// request is what both servers are asked.
type request struct {
	method, path, body string
	header             [2]string
}

func (q request) String() string { return q.method + " " + q.path + " " + q.body }

func (q request) send(h http.Handler) *httptest.ResponseRecorder {
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	if q.header[0] != "" {
		r.Header.Set(q.header[0], q.header[1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// same are requests that both servers answer alike.
func same() []request {
	const decide = "/v1/data/svc/authz/decision"
	full := `{"input":` + input + `}`
	revoked := strings.Replace(full, `"active"`, `"revoked"`, 1)
	all := []request{
		{method: "POST", path: decide, body: full},
		{method: "POST", path: decide, body: revoked},
		{method: "POST", path: decide, body: `{"input":{"action":"generate","key":null,"project":null,"usage":null}}`},
		{method: "POST", path: decide, body: `{}`},
		{method: "POST", path: decide, body: ``},
		{method: "POST", path: decide, body: `{"input":null}`},
		{method: "POST", path: decide + "/allow", body: full},
		{method: "POST", path: decide + "/nothing", body: full},
		{method: "POST", path: "/v1/data/svc/key", body: full},
		{method: "POST", path: "/v1/data/svc/none", body: full},
		{method: "POST", path: "/v1/data/no/such/path", body: full},
		{method: "POST", path: "/v1/data/svc/reasons/0", body: full},
		{method: "POST", path: "/v1/data/svc/key", body: `{"input":"text"}`},
		{method: "POST", path: "/v1/data/svc/key", body: `{"input":[1,2.5,1e3,true,null]}`},
		{method: "POST", path: "/v1/data/svc/key", body: `{"input":{},"other":1}`},
		{method: "POST", path: "/v1/data/svc/key", body: `{"input":`},
		{method: "POST", path: "/v1/data/svc/key", body: `[]`},
		{method: "POST", path: "/v1/data/svc/key", body: "input:\n  key: null\n", header: [2]string{"Content-Type", "application/yaml"}},
		{method: "POST", path: "/v1/data/svc/key", body: "input: [", header: [2]string{"Content-Type", "application/yaml"}},
		{method: "POST", path: "/v1/data/svc/key", body: zipped(full), header: [2]string{"Content-Encoding", "gzip"}},
		{method: "POST", path: `/v1/data/a%22b`, body: full},
		{method: "POST", path: `/v1/data/a%2Fb/%20/c.d`, body: full},
		{method: "GET", path: decide},
		{method: "GET", path: decide + "?input=" + url.QueryEscape(input)},
		{method: "GET", path: decide + "?input={}&input=" + url.QueryEscape(input)},
		{method: "GET", path: "/v1/data/svc/key?input=garbage"},
		{method: "GET", path: "/v1/data/svc/none"},
		{method: "GET", path: "/v1/policies"},
		{method: "GET", path: "/v1/policies?pretty"},
		{method: "GET", path: "/v1/policies/svc/authz/authz.rego"},
		{method: "GET", path: "/v1/policies/none.rego"},
		{method: "GET", path: "/health"},
		{method: "GET", path: "/health?bundles"},
		{method: "GET", path: "/health?bundles=true&plugins"},
		{method: "GET", path: "/nothing"},
		{method: "TRACE", path: decide},
	}
	for _, flags := range []string{
		"pretty", "pretty=false", "pretty=true", "metrics", "metrics=TRUE", "provenance", "explain=notes", "explain=fails",
		"explain=full", "explain=debug", "explain=off", "explain=none&explain=notes", "explain=full&pretty", "instrument",
		"rule_labels", "strict-builtin-errors", "pretty&metrics&provenance&explain=fails&rule_labels",
	} {
		all = append(all,
			request{method: "POST", path: decide + "?" + flags, body: full},
			request{method: "POST", path: decide + "?" + flags, body: revoked},
			request{method: "POST", path: "/v1/data/svc/none?" + flags, body: full},
			request{method: "GET", path: decide + "?" + flags + "&input=" + url.QueryEscape(input)},
		)
	}
	return all
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err) // a buffer takes all
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func TestAnswersAreThoseOfOPAsOwnServer(t *testing.T) {
	f := shipped(t)
	ours := opa.Handler(f)
	for _, q := range same() {
		// A new one each time: it keeps prepared queries, which changes its metrics.
		want, got := q.send(theirs(t, f)), q.send(ours)
		if got.Code != want.Code {
			t.Errorf("%s: status %d, theirs %d: %s", q, got.Code, want.Code, got.Body)
			continue
		}
		if w, g := masked(t, want), masked(t, got); g != w {
			from := firstDifference(g, w)
			t.Errorf("%.200s: from byte %d\nours   %.300s\ntheirs %.300s", q, from, g[from:], w[from:])
		}
		if w, g := want.Header().Get("Content-Type"), got.Header().Get("Content-Type"); g != w {
			t.Errorf("%s: content type %q, theirs %q", q, g, w)
		}
	}
}

// firstDifference returns a place a little before two texts part.
func firstDifference(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return max(0, i-100)
}

// masked is a body without timings and identities of machines.
func masked(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	text := w.Body.String()
	pretty := strings.Contains(text, "\n  ")
	var body map[string]any
	if json.Unmarshal(w.Body.Bytes(), &body) != nil {
		return text
	}
	if list, ok := body["result"].([]any); ok {
		// Theirs come in any order.
		slices.SortFunc(list, func(a, b any) int {
			return strings.Compare(fmt.Sprint(a.(map[string]any)["id"]), fmt.Sprint(b.(map[string]any)["id"]))
		})
	}
	withoutText(body)
	if metrics, ok := body["metrics"].(map[string]any); ok {
		for name := range metrics {
			metrics[name] = 0
		}
	}
	out, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if pretty {
		return "pretty " + string(out)
	}
	return string(out)
}

// withoutText takes comments out of a syntax tree, at any depth: ours has them
// read as METADATA, theirs has them as they stand.
func withoutText(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "annotations")
		delete(v, "comments")
		if locals, ok := v["locals"].([]any); ok { // in any order
			slices.SortFunc(locals, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		for _, member := range v {
			withoutText(member)
		}
	case []any:
		for _, element := range v {
			withoutText(element)
		}
	}
}

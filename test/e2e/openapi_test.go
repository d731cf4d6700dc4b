package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
)

// description is api/openapi.yaml, read strictly: a member that it does not
// name is an error even where the document lets members be added later.
type description struct {
	doc    *openapi3.T
	router routers.Router
}

var described = sync.OnceValues(func() (*description, error) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	closeSchemas(doc)
	d := &description{doc, router}
	openapi3filter.RegisterBodyDecoder("text/event-stream", d.decodeEvents)
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", decodeText)
	openapi3filter.RegisterBodyDecoder("application/zip", decodeText)
	openapi3filter.RegisterBodyDecoder("multipart/byteranges", decodeText)
	return d, nil
})

// closeSchemas forbids members that are not named, in every named schema but
// those that others are made of.
func closeSchemas(doc *openapi3.T) {
	parts := map[*openapi3.Schema]bool{}
	for _, ref := range doc.Components.Schemas {
		for _, part := range ref.Value.AllOf {
			parts[part.Value] = true
		}
	}
	for _, ref := range doc.Components.Schemas {
		if s := ref.Value; len(s.Properties) > 0 && !parts[s] {
			s.UnevaluatedProperties.Has = new(bool)
		}
	}
}

// decodeEvents reads a stream as the list of its blocks' data. It checks that
// each block says the same as its data, and the data by its own schema: the
// list's would only say that none of all event types fits.
func (d *description) decodeEvents(body io.Reader, _ http.Header, list *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	events := []any{}
	reader := sse.NewReader(body)
	for {
		rec, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		var event map[string]any
		if err := json.Unmarshal(rec.Data, &event); err != nil {
			return nil, fmt.Errorf("event %d: %w", rec.ID, err)
		}
		if err := d.checkEvent(rec, event, list.Value.Items.Value.OneOf); err != nil {
			return nil, fmt.Errorf("event %d %s: %w", rec.ID, rec.Type, err)
		}
		events = append(events, event)
	}
}

func (d *description) checkEvent(rec sse.Record, event map[string]any, types openapi3.SchemaRefs) error {
	if seq, _ := event["seq"].(float64); event["type"] != rec.Type || uint64(seq) != rec.ID {
		return fmt.Errorf("its data are of event %v %v", event["seq"], event["type"])
	}
	if len(rec.Data) > api.MaxEventData {
		return fmt.Errorf("it has %d bytes", len(rec.Data))
	}
	for _, ref := range types {
		if ref.Value.Properties["type"].Value.Const == rec.Type {
			return d.doc.ValidateSchemaJSON(ref.Value, event, openapi3.EnableJSONSchema2020(), openapi3.SetSchemaErrorMessageCustomizer(reason))
		}
	}
	return errors.New("the type is not described")
}

// reason keeps schema and value out of an error; the answer is shown anyway.
func reason(err *openapi3.SchemaError) string { return err.Reason }

func decodeText(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	raw, err := io.ReadAll(body)
	return string(raw), err
}

// ofHTTP are the headers that HTTP itself, or Caddy, puts on a response. What
// Content-Type may be is described with the body.
var ofHTTP = []string{"Content-Length", "Content-Type", "Date", "Server", "Via"}

// check returns how an answer differs from its description.
func (d *description) check(req *http.Request, a answer) error {
	route, params, err := d.route(req)
	if err != nil || route == nil {
		return err
	}
	ref := route.Operation.Responses.Status(a.status)
	if ref == nil {
		return errors.New("the status is not described")
	}
	bodiless := req.Method == http.MethodHead || len(ref.Value.Content) == 0
	err = errors.Join(checkHeaders(ref.Value, a.header), checkBody(route, params, a, bodiless))
	if bodiless && len(a.body) > 0 {
		err = errors.Join(err, fmt.Errorf("it has a body of %d bytes", len(a.body)))
	}
	return err
}

// route returns what describes the answer to a request: its operation, or what
// holds where there is none. It is nil outside the API.
func (d *description) route(req *http.Request) (*routers.Route, map[string]string, error) {
	get := req.Clone(context.Background())
	if get.Method == http.MethodHead {
		get.Method = http.MethodGet
	}
	route, params, err := d.router.FindRoute(get)
	var status int
	var response string
	switch {
	case err == nil:
		return route, params, nil
	case errors.Is(err, routers.ErrMethodNotAllowed):
		status, response = http.StatusMethodNotAllowed, "MethodNotAllowed"
	case strings.HasPrefix(req.URL.Path, "/v1/"):
		status, response = http.StatusNotFound, "NotFound"
	default:
		return nil, nil, nil
	}
	return &routers.Route{Spec: d.doc, Operation: &openapi3.Operation{Responses: openapi3.NewResponses(
		openapi3.WithStatus(http.StatusUnauthorized, d.doc.Components.Responses["Unauthorized"]),
		openapi3.WithStatus(http.StatusServiceUnavailable, d.doc.Components.Responses["Unavailable"]),
		openapi3.WithStatus(status, d.doc.Components.Responses[response]),
	)}}, nil, nil
}

// checkHeaders finds the headers that should not be there or should; their
// values are kin-openapi's to check.
func checkHeaders(r *openapi3.Response, h http.Header) error {
	var err error
	known := slices.Clone(ofHTTP)
	for name := range r.Headers {
		known = append(known, http.CanonicalHeaderKey(name))
	}
	for name := range h {
		if !slices.Contains(known, name) {
			err = errors.Join(err, fmt.Errorf("the header %s is not described", name))
		}
	}
	for name, ref := range r.Headers {
		if ref.Value.Required && h.Get(name) == "" {
			err = errors.Join(err, fmt.Errorf("the header %s is missing", name))
		}
	}
	return err
}

// checkBody checks body and header values. The request it shows kin-openapi is
// a GET, since it looks at nothing of an answer to HEAD.
func checkBody(route *routers.Route, params map[string]string, a answer, bodiless bool) error {
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: http.MethodGet, URL: new(url.URL)}, PathParams: params, Route: route,
		},
		Status: a.status, Header: a.header,
		Options: &openapi3filter.Options{ExcludeResponseBody: bodiless, IncludeResponseStatus: true},
	}
	input.Options.WithCustomSchemaErrorFunc(reason)
	input.SetBodyBytes(a.body)
	return openapi3filter.ValidateResponse(context.Background(), input)
}

// documented fails the test when an answer is not as the document says.
func (s *service) documented(req *http.Request, a answer) {
	s.t.Helper()
	d, err := described()
	if err != nil {
		s.t.Fatalf("reading api/openapi.yaml: %v", err)
	}
	if err := d.check(req, a); err != nil {
		s.t.Errorf("api/openapi.yaml does not describe %s %s: %d %v %.500s\n%v",
			req.Method, req.URL.Path, a.status, a.header, a.body, err)
	}
}

func TestAnAnswerThatIsNotDocumentedIsFound(t *testing.T) {
	inOneForm(t)
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	const (
		job    = "/v1/generate/job_01JD3QZ5X8C0W6T1R4M9K2H7EA"
		id     = "X-Request-Id: 6f1c2f6e-8a2d-4c55-9d0b-1c7c2e0f6a11\n"
		json   = id + "Content-Type: application/json\nCache-Control: no-store\n"
		stream = id + "Content-Type: text/event-stream\nCache-Control: no-cache, no-transform\nX-Accel-Buffering: no\n"
		queued = `"seq":1,"jobId":"job_01JD3QZ5X8C0W6T1R4M9K2H7EA","projectId":"6b1f0a4e9c2d4f7a8b3e5d60","ts":"2026-11-20T09:00:00Z"`
	)
	tests := map[string]struct {
		method, path string
		status       int
		headers      string
		body         string
		says         string // "" when all is well
	}{
		"as described":             {"GET", job + "/status", 404, json, `{"error":"m"}`, ""},
		"undescribed status":       {"GET", job + "/status", 418, json, `{"error":"m"}`, "status is not described"},
		"undescribed header":       {"GET", job + "/status", 404, json + "X-Debug: 1\n", `{"error":"m"}`, "X-Debug is not described"},
		"missing header":           {"GET", job + "/status", 404, "Content-Type: application/json\n", `{"error":"m"}`, "X-Request-Id is missing"},
		"undescribed member":       {"GET", job + "/status", 404, json, `{"error":"m","reason":"x"}`, "reason"},
		"member of an open body":   {"POST", "/v1/projects", 201, json, `{"success":true,"data":{"_id":"6b1f0a4e9c2d4f7a8b3e5d60","name":"n"},"x":1}`, "x"},
		"wrong value":              {"GET", job + "/status", 401, json + "Www-Authenticate: Bearer\n", `{"error":"m","reason":"bad"}`, "reason"},
		"wrong header value":       {"GET", job + "/status", 401, json + "Www-Authenticate: Basic\n", `{"error":"m","reason":"missing"}`, "Bearer"},
		"wrong media type":         {"GET", job + "/status", 404, id + "Cache-Control: no-store\nContent-Type: text/plain\n", `m`, "Content-Type"},
		"HEAD":                     {"HEAD", job + "/status", 404, json, ``, ""},
		"HEAD with a body":         {"HEAD", job + "/status", 404, json, `{"error":"m"}`, "a body of"},
		"204 with a body":          {"GET", job + "/events", 204, id, `m`, "a body of"},
		"unknown method":           {"PUT", job + "/status", 405, json + "Allow: GET, HEAD\n", `{"error":"m"}`, ""},
		"unknown method, allowed":  {"PUT", job + "/status", 404, json, `{"error":"m"}`, "status is not described"},
		"unknown address":          {"GET", "/v1/nothing", 404, json, `{"error":"m"}`, ""},
		"unknown address, found":   {"GET", "/v1/nothing", 200, json, `{}`, "status is not described"},
		"429":                      {"POST", "/v1/generate", 429, json + "Retry-After: 5\n", `{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay"}`, ""},
		"429 that says more":       {"POST", "/v1/generate", 429, json + "Retry-After: 5\n", `{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay","resetAt":1}`, "resetAt"},
		"503 of a cold start":      {"POST", "/v1/generate", 503, json + "Retry-After: 30\n", `{"error":"m","retryAfterSeconds":30}`, ""},
		"503 with a reason":        {"POST", "/v1/generate", 503, json + "Retry-After: 30\n", `{"error":"m","reason":"x"}`, "oneOf"},
		"events":                   {"GET", job + "/events", 200, stream, "id: 1\nevent: job.queued\ndata: {\"type\":\"job.queued\"," + queued + "}\n\n", ""},
		"event of another name":    {"GET", job + "/events", 200, stream, "id: 1\nevent: usage\ndata: {\"type\":\"job.queued\"," + queued + "}\n\n", "data are of event"},
		"event with a member":      {"GET", job + "/events", 200, stream, "id: 1\nevent: job.queued\ndata: {\"type\":\"job.queued\",\"x\":1," + queued + "}\n\n", "event 1 job.queued"},
		"event of an unknown type": {"GET", job + "/events", 200, stream, "id: 1\nevent: job.x\ndata: {\"type\":\"job.x\"," + queued + "}\n\n", "type is not described"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, "http://localhost"+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for line := range strings.Lines(tc.headers) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				h.Set(name, value)
			}
			err = d.check(req, answer{tc.status, h, []byte(tc.body)})
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("found %v, want %q", err, tc.says)
			}
		})
	}
}

func TestTheDocumentIsServedToAnyone(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	a := s.call(apiKey{}, "GET", "/openapi.yaml", nil)
	if a.status != http.StatusOK || !bytes.Equal(a.body, []byte(api.OpenAPI())) {
		t.Fatalf("%d, %d bytes", a.status, len(a.body))
	}
	if same := s.call(apiKey{}, "GET", "/openapi.yaml", nil, "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified {
		t.Errorf("If-None-Match: %d", same.status)
	}
}

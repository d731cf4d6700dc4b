// Package openapi holds answers against api/openapi.yaml, and the linters of it.
package openapi

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

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/rig"
)

// Description is api/openapi.yaml, read strictly: a member that it does not
// name is an error even where the document lets members be added later.
type Description struct {
	Doc    *openapi3.T
	router routers.Router
}

// Read returns the description, which is read once.
var Read = sync.OnceValues(func() (*Description, error) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	closeSchemas(doc)
	d := &Description{doc, router}
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", decodeText)
	openapi3filter.RegisterBodyDecoder("application/yaml", decodeText)
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

const eventStream = "text/event-stream"

// ofStreams are the headers of an event stream, which its description has in words.
var ofStreams = map[string]string{"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}

// checkStream checks the headers of a stream, that each of its blocks says the same as
// its data, and the data by the schema of their type: that of all would only say that
// none of them fits.
func (d *Description) checkStream(media *openapi3.MediaType, a rig.Answer) error {
	var err error
	for name, want := range ofStreams {
		if got := a.Header.Get(name); got != want {
			err = errors.Join(err, fmt.Errorf("%s is %q, want %q", name, got, want))
		}
	}
	reader := sse.NewReader(bytes.NewReader(a.Body))
	for {
		rec, readErr := reader.Next()
		if errors.Is(readErr, io.EOF) {
			return err
		}
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		var event map[string]any
		eventErr := json.Unmarshal(rec.Data, &event)
		if eventErr == nil {
			eventErr = d.checkEvent(rec, event, media.Schema.Value.OneOf)
		}
		if eventErr != nil {
			return errors.Join(err, fmt.Errorf("event %d %s: %w", rec.ID, rec.Type, eventErr))
		}
	}
}

func (d *Description) checkEvent(rec sse.Record, event map[string]any, types openapi3.SchemaRefs) error {
	if seq, _ := event["seq"].(float64); event["type"] != rec.Type || uint64(seq) != rec.ID {
		return fmt.Errorf("its data are of event %v %v", event["seq"], event["type"])
	}
	if len(rec.Data) > api.MaxEventData {
		return fmt.Errorf("it has %d bytes", len(rec.Data))
	}
	for _, ref := range types {
		if ref.Value.Properties["type"].Value.Const == rec.Type {
			return d.Doc.ValidateSchemaJSON(ref.Value, event, openapi3.EnableJSONSchema2020(), openapi3.SetSchemaErrorMessageCustomizer(reason))
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

// Check returns how an answer differs from its description.
func (d *Description) Check(req *http.Request, a rig.Answer) error {
	route, params, err := d.route(req)
	if err != nil || route == nil {
		return err
	}
	ref := route.Operation.Responses.Status(a.Status)
	if ref == nil {
		return errors.New("the status is not described")
	}
	bodiless := req.Method == http.MethodHead || len(ref.Value.Content) == 0
	if stream := ref.Value.Content[eventStream]; stream != nil && a.Header.Get("Content-Type") == eventStream {
		err = errors.Join(checkHeaders(streamHeaders(d.Doc), a.Header), d.checkStream(stream, a))
	} else {
		err = errors.Join(checkHeaders(ref.Value.Headers, a.Header), checkBody(route, params, a, bodiless))
	}
	if bodiless && len(a.Body) > 0 {
		err = errors.Join(err, fmt.Errorf("it has a body of %d bytes", len(a.Body)))
	}
	return err
}

// route returns what describes the answer to a request: its operation, or what
// holds where there is none. It is nil outside the API.
func (d *Description) route(req *http.Request) (*routers.Route, map[string]string, error) {
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
	return &routers.Route{Spec: d.Doc, Operation: &openapi3.Operation{Responses: openapi3.NewResponses(
		openapi3.WithStatus(http.StatusUnauthorized, d.Doc.Components.Responses["Unauthorized"]),
		openapi3.WithStatus(http.StatusServiceUnavailable, d.Doc.Components.Responses["Unavailable"]),
		openapi3.WithStatus(status, d.Doc.Components.Responses[response]),
	)}}, nil, nil
}

// streamHeaders are the headers that a stream may have, or must.
func streamHeaders(doc *openapi3.T) openapi3.Headers {
	described := openapi3.Headers{"X-Request-Id": doc.Components.Headers["RequestId"]}
	for name := range ofStreams {
		described[name] = doc.Components.Headers["CacheControl"] // it must be there; checkStream has the value
	}
	return described
}

// checkHeaders finds the headers that should not be there or should; their
// values are kin-openapi's to check.
func checkHeaders(described openapi3.Headers, h http.Header) error {
	var err error
	known := slices.Clone(ofHTTP)
	for name := range described {
		known = append(known, http.CanonicalHeaderKey(name))
	}
	for name := range h {
		if !slices.Contains(known, name) {
			err = errors.Join(err, fmt.Errorf("the header %s is not described", name))
		}
	}
	for name, ref := range described {
		if ref.Value.Required && h.Get(name) == "" {
			err = errors.Join(err, fmt.Errorf("the header %s is missing", name))
		}
	}
	return err
}

// checkBody checks body and header values. The request it shows kin-openapi is
// a GET, since it looks at nothing of an answer to HEAD.
func checkBody(route *routers.Route, params map[string]string, a rig.Answer, bodiless bool) error {
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: http.MethodGet, URL: new(url.URL)}, PathParams: params, Route: route,
		},
		Status: a.Status, Header: a.Header,
		Options: &openapi3filter.Options{ExcludeResponseBody: bodiless, IncludeResponseStatus: true},
	}
	input.Options.WithCustomSchemaErrorFunc(reason)
	input.SetBodyBytes(a.Body)
	return openapi3filter.ValidateResponse(context.Background(), input)
}

package api

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// unbounded are parameters that may be as long as a request's head may: they are compared,
// and kept nowhere.
var unbounded = []string{"If-Match", "If-None-Match", "If-Range", "Last-Event-ID", "Range", "after", "lastEventId", "table"}

// TestWhatClientsSendIsBounded: of each text, number and list that a client sends the
// document says how long or large it may be. That the service keeps to it is proven in
// test/foreign.
func TestWhatClientsSendIsBounded(t *testing.T) {
	doc := document(t)
	sent := 0
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			for _, p := range slices.Concat(item.Parameters, operation.Parameters) {
				if !slices.Contains(unbounded, p.Value.Name) {
					sent += bounded(t, at+" "+p.Value.Name, p.Value.Schema)
				}
			}
			if operation.RequestBody != nil {
				for _, media := range operation.RequestBody.Value.Content {
					sent += bounded(t, at, media.Schema)
				}
			}
		}
	}
	if sent < 100 {
		t.Errorf("%d values were looked at", sent)
	}
}

// bounded looks at a schema and at all that is in it, and returns how many values that are.
func bounded(t *testing.T, at string, ref *openapi3.SchemaRef) (looked int) {
	t.Helper()
	s := ref.Value
	switch {
	case s.Const != nil || len(s.Enum) > 0:
	case s.Type.Includes("string") && s.MaxLength == nil:
		t.Errorf("%s: a text without maxLength", at)
	case s.Type.Includes("integer") && (s.Min == nil || s.Max == nil || s.Format == ""):
		t.Errorf("%s: an integer without minimum, maximum or format", at)
	case s.Type.Includes("number") && (s.Min == nil || s.Max == nil):
		t.Errorf("%s: a number without minimum or maximum", at)
	case s.Type.Includes("array") && s.MaxItems == nil:
		t.Errorf("%s: a list without maxItems", at)
	}
	if s.Items != nil {
		looked += bounded(t, at+"[]", s.Items)
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		looked += bounded(t, at, part)
	}
	if s.AdditionalProperties.Schema != nil {
		looked += bounded(t, at+"{}", s.AdditionalProperties.Schema)
	}
	for name, member := range s.Properties {
		looked += bounded(t, at+"."+name, member)
	}
	return looked + 1
}

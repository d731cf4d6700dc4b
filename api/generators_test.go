package api

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocumentIsWhatGeneratorsTake: none of what made generated code fail, or leak a
// key, is in the document. That the code works is proven in test/foreign.
func TestDocumentIsWhatGeneratorsTake(t *testing.T) {
	doc := document(t)
	types := map[string]string{}
	for name, ref := range doc.Components.Schemas {
		types[strings.ToLower(name)] = name
		if s := ref.Value; s.Const != nil && s.Type.Is("boolean") {
			t.Errorf("%s: ogen writes no code for a member that is a named constant", name)
		}
	}
	for name, ref := range doc.Components.SecuritySchemes {
		if other := types[strings.ToLower(name)]; other != "" {
			t.Errorf("the security scheme %s and the schema %s are one type to ogen", name, other)
		}
		if ref.Value.In == openapi3.ParameterInQuery {
			t.Errorf("%s: hey-api puts the key into the address", name)
		}
	}
	streams := 0
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, answer := range operation.Responses.Map() {
				media := answer.Value.Content["text/event-stream"]
				if media == nil {
					continue
				}
				streams++
				if media.Schema.Ref != "#/components/schemas/Event" {
					t.Errorf("%s %s: the stream is %q, and generators type the event of a stream", method, path, media.Schema.Ref)
				}
				if len(answer.Value.Headers) > 0 {
					t.Errorf("%s %s %s: ogen's code for a stream with headers does not compile", method, path, status)
				}
			}
		}
	}
	if streams != 1 {
		t.Errorf("the document has %d streams", streams)
	}
}

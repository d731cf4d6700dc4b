package client

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/api"
)

// sample returns a value of a schema, with all members that the schema has.
func sample(s *openapi3.Schema) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("boolean"):
		return true
	case s.Type.Is("integer"):
		return 3.0
	case s.Type.Is("number"):
		return 1.5
	case s.Type.Is("array"):
		return []any{sample(s.Items.Value)}
	case s.Type.Is("object"):
		members := map[string]any{}
		for name, member := range s.Properties {
			members[name] = sample(member.Value)
		}
		if more := s.AdditionalProperties.Schema; more != nil {
			members["one"] = sample(more.Value)
		}
		return members
	}
	return "text"
}

// own returns an event's members without those that every event has.
func own(t *testing.T, event any) (raw api.Event) {
	t.Helper()
	data, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestEveryDocumentedEventHasAGoTypeWithItsMembers: what is written again is what came.
func TestEveryDocumentedEventHasAGoTypeWithItsMembers(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, schema := range doc.Components.Schemas {
		all := doc.Components.Schemas["Event"].Value.OneOf
		if !slices.ContainsFunc(all, func(one *openapi3.SchemaRef) bool { return one.Value == schema.Value }) || name == "StreamClosing" {
			continue // it is none, or one that ends a connection and is not passed on
		}
		seen++
		members := sample(schema.Value).(map[string]any)
		delete(members, "truncated")
		members["ts"], members["later"] = "2026-11-26T10:00:00Z", "a member of another version"
		raw := own(t, members)
		event := Typed(raw)
		if got := reflect.TypeOf(event).Name(); got != name || !reflect.DeepEqual(event.Raw(), raw) {
			t.Errorf("%s is read as %s: %+v", name, got, event.Raw())
		}
		again := own(t, event).Members
		again["later"] = members["later"]
		if !reflect.DeepEqual(again, raw.Members) {
			t.Errorf("%s has %v, want %v", name, again, raw.Members)
		}
	}
	if seen != len(types) {
		t.Errorf("the document has %d events, the package %d", seen, len(types))
	}
}

func TestAnEventOfALaterVersionIsUnknownAndWhole(t *testing.T) {
	for _, raw := range []api.Event{
		{Type: "job.dreamed", Seq: 7, Members: map[string]any{"of": "sheep"}},
		{Type: api.EventProgress, Seq: 8, Members: map[string]any{"percent": "half"}},
	} {
		if event, ok := Typed(raw).(Unknown); !ok || !reflect.DeepEqual(event.Raw(), raw) {
			t.Errorf("%+v is read as %T %+v", raw, Typed(raw), Typed(raw).Raw())
		}
	}
	cut := api.Event{Type: api.EventBuildResult, Members: map[string]any{"truncated": true}}
	if event, ok := Typed(cut).(BuildResult); !ok || event.OK || event.Problems != nil {
		t.Errorf("an event that was too long is read as %+v", Typed(cut))
	}
}

package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
)

// TestEachBoundThatTheDocumentStatesIsKept: of what a client sends, a value that is past one
// bound alone is refused by name, and the document's example is not.
func TestEachBoundThatTheDocumentStatesIsKept(t *testing.T) {
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	g := rig.Launch(t, rig.Options{})
	g.NewUser("foreign", "1000")
	m := newMaker(d.Doc, seed)
	s := strict{T: t, values: m.values, g: g, key: g.NewKey("foreign")}
	s.known["ProjectId"] = []string{g.NewProject(s.key)}
	for _, o := range m.operations {
		if strings.HasPrefix(o.path, "/v1/") {
			s.parameters(o)
			s.body(o)
		}
	}
	if s.tried < 150 {
		t.Errorf("%d bounds were tried", s.tried)
	}
}

// strict sends requests with one value past a bound.
type strict struct {
	*testing.T
	values
	g     *rig.Gateway
	key   rig.Key
	tried int
}

// refuses sends a request and wants a 400 that names what is wrong with it.
func (s *strict) refuses(o operation, key rig.Key, w wrong, path string, body any, header ...string) {
	s.Helper()
	s.tried++
	a := s.g.Call(key, o.method, path, body, header...)
	var said struct{ Error string }
	err := json.Unmarshal(a.Body, &said)
	switch {
	case key == (rig.Key{}) && a.Status == http.StatusUnauthorized: // of a stream token
	case w.address && a.Status == http.StatusNotFound:
	case err == nil && a.Status == http.StatusBadRequest && strings.Contains(said.Error, w.name):
	default:
		s.Errorf("%s with %s %.100v: %d %.300s", o.OperationID, w.name, w.value, a.Status, a.Body)
	}
}

func (s *strict) parameters(o operation) {
	s.Helper()
	for _, ref := range o.params {
		p := ref.Value
		for _, w := range s.beyond(p.Name, p.Schema) {
			value, path, key := fmt.Sprint(w.value), s.fill(o, "", ""), s.key
			var header []string
			switch p.In {
			case openapi3.ParameterInPath:
				w.address, path = true, s.fill(o, p.Name, value)
			case openapi3.ParameterInQuery:
				path += "?" + p.Name + "=" + url.QueryEscape(value)
			case openapi3.ParameterInHeader:
				header = []string{p.Name, value}
			}
			if p.Name == "token" { // a key comes before it
				key = rig.Key{}
			}
			body, _ := example(o)
			s.refuses(o, key, w, path, body, header...)
		}
	}
}

// fill puts into an address what fits, but for one parameter.
func (s *strict) fill(o operation, but, value string) string {
	path := o.path
	for _, ref := range o.params {
		if p := ref.Value; p.In == openapi3.ParameterInPath && p.Name != but {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", fmt.Sprint(s.fit(p.Schema)))
		}
	}
	return strings.ReplaceAll(path, "{"+but+"}", url.PathEscape(value))
}

func (s *strict) body(o operation) {
	s.Helper()
	if o.RequestBody == nil {
		return
	}
	good, schema := example(o)
	if a := s.g.Call(s.key, o.method, s.fill(o, "", ""), good); a.Status == http.StatusBadRequest {
		s.Errorf("%s refuses the document's example: %s", o.OperationID, a.Body)
	}
	for _, name := range sortedKeys(schema.Value.Properties) {
		for _, w := range s.beyond(name, schema.Value.Properties[name]) {
			body := maps.Clone(good)
			body[name] = w.value
			s.refuses(o, s.key, w, s.fill(o, "", ""), body)
		}
	}
}

// example is what the document has as an operation's body, nil where there is none.
func example(o operation) (map[string]any, *openapi3.SchemaRef) {
	if o.RequestBody == nil {
		return nil, nil
	}
	media := o.RequestBody.Value.Content.Get("application/json")
	value := media.Example
	for _, name := range sortedKeys(media.Examples) {
		value = media.Examples[name].Value.Value
	}
	return value.(map[string]any), media.Schema
}

// wrong is a value of which the part that is called name is past a bound.
type wrong struct {
	name    string
	value   any
	address bool // it stands in the path: such a thing may also just not be there
}

// beyond makes a value for each bound of a schema, and of what is in it: past that bound alone.
func (v *values) beyond(name string, ref *openapi3.SchemaRef) (all []wrong) {
	s := ref.Value
	add := func(value any) { all = append(all, wrong{name: name, value: value}) }
	switch {
	case len(s.AllOf) > 0:
		return v.beyond(name, s.AllOf[0])
	case len(s.Enum) > 0:
		if s.Type.Includes("string") {
			add(v.letters(9))
		}
	case s.Type.Includes("object"):
		for _, member := range sortedKeys(s.Properties) {
			for _, w := range v.beyond(member, s.Properties[member]) {
				whole := v.least(ref).(map[string]any)
				whole[member] = w.value
				all = append(all, wrong{name: w.name, value: whole})
			}
		}
	case s.Type.Includes("array"):
		if s.MaxItems != nil {
			add(v.list(s, *s.MaxItems+1))
		}
		if s.MinItems > 0 {
			add(v.list(s, s.MinItems-1))
		}
		for _, w := range v.beyond(name, s.Items) {
			list := v.list(s, max(s.MinItems, 1))
			list[0] = w.value
			all = append(all, wrong{name: w.name, value: list})
		}
	case s.Type.Includes("string"):
		v.beyondText(s, add)
	default:
		if s.Min != nil {
			add(*s.Min - 1)
		}
		if s.Max != nil {
			add(*s.Max + 1)
		}
	}
	return all
}

func (v *values) beyondText(s *openapi3.Schema, add func(any)) {
	fits := v.text(s)
	if s.MaxLength != nil {
		add(fits + v.letters(int(*s.MaxLength)+1-len(fits)))
	}
	if s.MinLength > 0 {
		add("")
	}
	if s.Pattern != "" {
		add("é")
	}
}

// least makes a value that fits, without what may be absent.
func (v *values) least(ref *openapi3.SchemaRef) any {
	s := ref.Value
	switch {
	case s.Type.Includes("object"):
		made := map[string]any{}
		for _, name := range s.Required {
			made[name] = v.least(s.Properties[name])
		}
		return made
	case s.Type.Includes("array"):
		return v.list(s, s.MinItems)
	case s.Example != nil:
		return s.Example
	}
	return v.fit(ref)
}

func (v *values) list(s *openapi3.Schema, n uint64) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = v.least(s.Items)
	}
	return list
}

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
// bound is refused by name. The document's example is not, and neither is the longest text
// that fits a pattern: what refuses one more character is its length.
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
	keys := []rig.Key{s.key, g.NewKey("foreign"), g.NewKey("foreign")} // one may send 200 at once
	for i, o := range m.operations {
		if strings.HasPrefix(o.path, "/v1/") {
			s.key = keys[i%len(keys)]
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
	case w.fits:
		if a.Status == http.StatusBadRequest && strings.Contains(said.Error, w.name) {
			s.Errorf("%s refuses %s %.100v, which fits: %.300s", o.OperationID, w.name, w.value, a.Body)
		}
	case key == (rig.Key{}) && a.Status == http.StatusUnauthorized: // of a stream token
	case w.address && a.Status == http.StatusNotFound && o.Responses.Value("404") != nil:
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

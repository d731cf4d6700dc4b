// Package foreign holds the service against those who know it by its document
// alone: requests made of it, and clients and tools of others.
package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// request is one that was made of an operation.
type request struct {
	operation    string // its id
	method, path string // with the query
	header       []string
	body         any // nil for none
	key          bool
	whole        bool // nothing is wrong with it
}

// operation is one of the document.
type operation struct {
	path, method string
	params       openapi3.Parameters
	*openapi3.Operation
}

// maker makes requests of all operations of a document, each of them alike often.
type maker struct {
	values
	operations []operation
}

func newMaker(doc *openapi3.T, seed uint64) *maker {
	m := &maker{values: values{rng: rand.New(rand.NewPCG(seed, 0)), known: map[string][]string{}}}
	for _, path := range sortedKeys(doc.Paths.Map()) {
		item := doc.Paths.Value(path)
		for _, method := range sortedKeys(item.Operations()) {
			o := item.Operations()[method]
			m.operations = append(m.operations, operation{path, method, slices.Concat(item.Parameters, o.Parameters), o})
		}
	}
	return m
}

func sortedKeys[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }

// next makes the n-th request: one in four is as the document wants it, the others
// have one thing wrong with them.
func (m *maker) next(n int) request {
	spoilt := pick(m.rng, []string{"", "", "parameter", "parameter", "header", "address", "method", "key", "body", "body", "body", "text"})
	return m.request(m.operations[n%len(m.operations)], spoilt)
}

// request makes a request of an operation, with one thing of it spoilt, or nothing.
func (m *maker) request(o operation, spoilt string) request {
	r := request{operation: o.OperationID, method: o.method, key: true}
	content, media := m.content(o)
	if content == nil && (spoilt == "body" || spoilt == "text") {
		spoilt = "parameter"
	}
	r.whole = spoilt == ""
	m.address(&r, o, spoilt == "parameter")
	if content != nil {
		r.body = m.body(content, spoilt)
		r.header = append(r.header, "Content-Type", media)
	}
	switch spoilt {
	case "header":
		r.header = append(r.header, m.header()...)
	case "address":
		r.path = m.elsewhere(r.path)
	case "method":
		r.method = pick(m.rng, []string{"HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "get"})
	case "key":
		r.key = false
		if m.rng.IntN(4) == 0 {
			r.header = append(r.header, "Authorization", "Bearer "+m.letters(40))
		}
	}
	m.spare(&r)
	return r
}

func (m *maker) content(o operation) (*openapi3.SchemaRef, string) {
	if o.RequestBody == nil {
		return nil, ""
	}
	for media, content := range o.RequestBody.Value.Content {
		return content.Schema, media
	}
	return nil, ""
}

// address puts the parameters in, one of them spoilt.
func (m *maker) address(r *request, o operation, spoil bool) {
	r.path = o.path
	query := []string{}
	spoilt := -1
	if spoil && len(o.params) > 0 {
		spoilt = m.rng.IntN(len(o.params))
	}
	for i, ref := range o.params {
		p := ref.Value
		if !p.Required && i != spoilt && m.rng.IntN(2) == 0 {
			continue
		}
		value := fmt.Sprint(m.fit(p.Schema))
		if i == spoilt {
			value = pick(m.rng, []string{fmt.Sprint(m.misfit(p.Schema)), pick(m.rng, odd)})
		}
		switch p.In {
		case openapi3.ParameterInPath:
			r.path = strings.ReplaceAll(r.path, "{"+p.Name+"}", url.PathEscape(value))
		case openapi3.ParameterInQuery:
			query = append(query, p.Name+"="+url.QueryEscape(value))
		case openapi3.ParameterInHeader:
			if sendable(value) {
				r.header = append(r.header, p.Name, value)
			}
		}
	}
	if spoil && m.rng.IntN(4) == 0 {
		query = append(query, pick(m.rng, []string{"limit=1&limit=2", "%zz", "&&&", "=", "a=%00", "projectId=", "unknown=1", ";", "token=stk-" + m.letters(49)}))
	}
	if len(query) > 0 {
		r.path += "?" + strings.Join(query, "&")
	}
}

// sendable reports whether Go's client sends a header's value.
func sendable(value string) bool {
	return !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// body makes a body, as a text.
func (m *maker) body(content *openapi3.SchemaRef, spoilt string) []byte {
	value := m.fit(content)
	if spoilt == "body" {
		value = m.spoil(content, value)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return []byte("{}") // 1e400, say, which JSON can't write
	}
	if spoilt != "text" {
		return raw
	}
	return pick(m.rng, [][]byte{
		{}, raw[:m.rng.IntN(len(raw))], append(raw, '}'), append(raw, raw...), []byte("null"), []byte("[]"), []byte("\xef\xbb\xbf" + string(raw)),
		[]byte(strings.Repeat("[", 100_000)), []byte(strings.Repeat(`{"a":`, 20_000)), []byte(`{"name":"a","name":"b"}`), []byte(`{"name":"\ud800"}`),
		[]byte(`{"prompt":1e999999}`), []byte("{\"name\":\"\xff\"}"), []byte("a=b"), []byte(strings.Repeat(" ", 9<<20)),
	})
}

// header returns one that is no part of the operation.
func (m *maker) header() []string {
	return pick(m.rng, [][]string{
		{"Content-Encoding", "gzip"}, {"Content-Type", "text/xml"}, {"Content-Type", ";"}, {"Accept", "image/png"}, {"Accept-Encoding", "br;q=x"},
		{"Range", "bytes=9-1"}, {"Range", "bytes=0-0,2-3"}, {"Range", "bytes=99999999-"}, {"If-None-Match", "*"}, {"If-Match", `"x"`}, {"If-Range", "x"},
		{"If-Modified-Since", "Fri, 20 Nov 2099 09:00:00 GMT"}, {"Last-Event-ID", "99999999999999999999"}, {"Last-Event-ID", "-1"},
		{"Idempotency-Key", ""}, {"Idempotency-Key", strings.Repeat("k", 256)}, {"Idempotency-Key", "ä"}, {"Origin", "https://example.com"},
		{"X-HTTP-Method-Override", "DELETE"}, {"Authorization", "Basic YTpi"}, {"Authorization", "Bearer"}, {"Cookie", strings.Repeat("a=b; ", 500)},
		{"X-Request-Id", "mine"}, {"X-Forwarded-For", "127.0.0.1"}, {"Expect", "100-continue"}, {"Upgrade", "websocket"}, {"Prefer", "return=minimal"},
		{"Content-Length", "7"}, {"Host", "example.com"}, {"Svc-Engine-State", "ready"}, {"Traceparent", "00-x"},
	})
}

// elsewhere makes an address that is near another one.
func (m *maker) elsewhere(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	i := 1 + m.rng.IntN(len(parts)-1)
	switch m.rng.IntN(6) {
	case 0:
		path += "/"
	case 1:
		path += "/" + m.letters(4)
	case 2:
		parts[i] = strings.ToUpper(parts[i])
		path = strings.Join(parts, "/")
	case 3:
		parts[i] = url.PathEscape(pick(m.rng, odd[1:]))
		path = strings.Join(parts, "/")
	case 4:
		path = strings.Join(slices.Delete(parts, i, i+1), "/")
	default:
		path = "/v1/" + m.letters(5)
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path + "?" + query
}

// learn keeps what an answer says is there.
func (m *maker) learn(r request, status int, body []byte) {
	projects := m.known["ProjectId"]
	if r.method == http.MethodDelete && status == http.StatusOK {
		m.known["ProjectId"] = slices.DeleteFunc(projects, func(id string) bool { return strings.HasPrefix(r.path, projectPath+id+"?") || r.path == projectPath+id })
	}
	if r.operation != "createProject" || status != http.StatusCreated || len(projects) > 5 {
		return
	}
	var made struct {
		Data struct {
			ID string `json:"_id"`
		}
	}
	if json.Unmarshal(body, &made) == nil && made.Data.ID != "" {
		m.known["ProjectId"] = append(projects, made.Data.ID)
	}
}

const projectPath = "/v1/projects/"

// spare has the last project deleted instead of the first one, on which there is
// most to ask for.
func (m *maker) spare(r *request) {
	projects := m.known["ProjectId"]
	if address, query, _ := strings.Cut(r.path, "?"); r.method == http.MethodDelete && len(projects) > 0 && address == projectPath+projects[0] {
		r.path = projectPath + projects[len(projects)-1]
		if len(projects) == 1 {
			r.method = http.MethodGet
		}
		if query != "" {
			r.path += "?" + query
		}
	}
}

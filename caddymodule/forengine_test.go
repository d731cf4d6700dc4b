package caddymodule_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// clientHeaders are what a client may send along, and no engine gets of it.
var clientHeaders = []string{
	"Cookie", "Api-Key", "X-Jwt", "Proxy-Authorization", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip",
	"User-Agent", "Referer", "Origin", "Accept-Language", "Traceparent", "Tracestate", "Baggage",
	"Svc-Job-Id", "Svc-Session-Id", "Svc-Refused",
}

// An engine is a stranger's program: of a client's request it gets what the
// contract names, and of the client nothing.
func TestEngineGetsNothingOfTheClientButItsRequest(t *testing.T) {
	const hidden = "hidden-from-engines"
	d := newFakeBackend(t)
	got := make(chan *http.Request, 1)
	d.engine(t, asking(got))
	g := d.gateway(t, wholeAPI)
	key := d.key("active", "")
	const open = "svc_event_streams"
	was := g.metric(open)
	for _, c := range []struct {
		method, path, query, body string
		lastID                    string // in a header
		want                      []string
		wantQuery                 string
	}{
		{"POST", "/v1/generate", "", fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject), "7",
			[]string{"Authorization", "Content-Length", "Content-Type", "Expect", "Svc-Job-Id", "Svc-Session-Id", "X-Request-Id"}, ""},
		{"GET", "/v1/generate/" + testJob + "/events", "projectId=" + testProject + "&key=" + hidden, "", "7",
			[]string{"Accept", "Authorization", "Last-Event-Id"}, "projectId=" + testProject},
		{"GET", "/v1/generate/" + testJob + "/events", "projectId=" + testProject + "&lastEventId=7", "", "",
			[]string{"Accept", "Authorization", "Last-Event-Id"}, "projectId=" + testProject},
		{"GET", "/v1/generate/" + testJob + "/events", "projectId=" + testProject + "&lastEventId=7%0d%0aX-Evil:1", "", "",
			[]string{"Accept", "Authorization"}, "projectId=" + testProject},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+g.addr+c.path+"?"+c.query, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range clientHeaders {
			req.Header.Set(name, hidden)
		}
		req.Header.Set("X-API-Key", key)
		if c.lastID != "" {
			req.Header.Set("Last-Event-ID", c.lastID)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r := wait.For(t, "the engine is asked", got) // a client that has left has nobody asked
		resp.Body.Close()
		wait.Until(t, "the stream is over", func() bool { return g.metric(open) == was })
		select {
		case <-got:
		default:
		}
		for name, values := range r.Header {
			if strings.Contains(fmt.Sprint(values), hidden) || strings.Contains(fmt.Sprint(values), key) {
				t.Errorf("%s: the engine got %s: %v", c.path, name, values)
			}
		}
		names := namesOf(r.Header)
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: the engine got the headers %v, want %v", c.path, names, c.want)
		}
		if id := r.Header.Get("Last-Event-ID"); id != "" && id != "7" {
			t.Errorf("%s: the engine got the last id %q", c.path, id)
		}
		body, _ := io.ReadAll(r.Body)
		if r.Host != "engine" || r.URL.RawQuery != c.wantQuery || string(body) != c.body {
			t.Errorf("%s: host %q, query %q, body %q", c.path, r.Host, r.URL.RawQuery, body)
		}
	}
}

// asking is an engine that hands requests to a test.
func asking(got chan<- *http.Request) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		select {
		case got <- r:
		default: // asked again for what the client has
		}
		if strings.HasSuffix(r.URL.Path, "/events") {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "id: 8\ndata: {\"type\":\"generation.completed\",\"seq\":8,\"jobId\":%q}\n\n", testJob)
			return
		}
		fmt.Fprint(w, `{}`)
	}
}

// namesOf returns the names of a request's headers, sorted, without Caddy's own.
func namesOf(h http.Header) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(h)), func(name string) bool {
		return name == "Accept-Encoding" || name == "Connection" || name == "Via"
	})
}

package gateway

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/api"
)

func TestOnlyOriginsAreOrigins(t *testing.T) {
	for _, good := range [][]string{nil, {"*"}, {"https://a.example", "http://localhost:3000"}} {
		if err := (CORS{Origins: good}).Validate(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range [][]string{{"foo"}, {"https://a/path"}, {"*", "https://a"}, {"ftp://a"}, {"https://"}, {"https://u@a"}} {
		if err := (CORS{Origins: bad}).Validate(); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestCORSAllowsOnlyTheOriginsNamed(t *testing.T) {
	tests := map[string]struct {
		origins        []string
		origin, method string
		asks           string // Access-Control-Request-Method
		allow          string // Access-Control-Allow-Origin
		preflight      bool
	}{
		"off":                          {nil, "https://a", "GET", "", "", false},
		"off, preflight":               {nil, "https://a", "OPTIONS", "POST", "", false},
		"every origin":                 {[]string{"*"}, "https://a", "GET", "", "*", false},
		"every origin, preflight":      {[]string{"*"}, "https://a", "OPTIONS", "POST", "*", true},
		"one named":                    {[]string{"https://a", "https://b"}, "https://b", "GET", "", "https://b", false},
		"one named, preflight":         {[]string{"https://a"}, "https://a", "OPTIONS", "DELETE", "https://a", true},
		"one not named":                {[]string{"https://a"}, "https://a.evil", "GET", "", "", false},
		"one not named, preflight":     {[]string{"https://a"}, "null", "OPTIONS", "POST", "", false},
		"no browser":                   {[]string{"*"}, "", "GET", "", "", false},
		"OPTIONS that is no preflight": {[]string{"*"}, "https://a", "OPTIONS", "", "*", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "/v1/generate", nil)
			if tc.origin != "" {
				r.Header.Set("Origin", tc.origin)
			}
			if tc.asks != "" {
				r.Header.Set("Access-Control-Request-Method", tc.asks)
			}
			h := http.Header{}
			preflight := CORS{Origins: tc.origins}.Apply(h, r)
			if preflight != tc.preflight || h.Get("Access-Control-Allow-Origin") != tc.allow {
				t.Errorf("preflight %v, headers %v", preflight, h)
			}
			if preflight != (h.Get("Access-Control-Allow-Headers") != "") {
				t.Errorf("headers %v", h)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
		})
	}
}

// A script sees these without being allowed to, or has no use for them.
var needNoExposure = []string{
	"Cache-Control", "Content-Length", "Content-Type", "Last-Modified",
	"WWW-Authenticate", "X-Accel-Buffering", "X-Content-Type-Options",
}

func TestScriptsMaySendAndSeeEveryDocumentedHeader(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	may, see := strings.Split(corsRequest, ", "), strings.Split(corsResponse, ", ")
	seen := func(where string, r *openapi3.Response) {
		for name := range r.Headers {
			if !slices.Contains(see, name) && !slices.Contains(needNoExposure, name) {
				t.Errorf("%s: scripts don't see %s", where, name)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				if p.Value.In == "header" && !slices.Contains(may, p.Value.Name) {
					t.Errorf("%s %s: scripts can't send %s", method, path, p.Value.Name)
				}
			}
			for _, r := range operation.Responses.Map() {
				seen(method+" "+path, r.Value)
			}
		}
	}
	for name, r := range doc.Components.Responses {
		seen(name, r.Value)
	}
}

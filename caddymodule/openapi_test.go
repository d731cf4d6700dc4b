package caddymodule

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/api"
)

func TestDescriptionIsForProgramsAndAtDocsForPeopleWithoutScripts(t *testing.T) {
	var o OpenAPI
	if err := o.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{"/openapi.yaml": {"application/yaml", api.OpenAPI()}, "/docs": {"text/html; charset=utf-8", api.Page()}} {
		w := httptest.NewRecorder()
		if err := o.ServeHTTP(w, httptest.NewRequest("GET", path, nil), nil); err != nil {
			t.Fatal(err)
		}
		h := w.Header()
		if w.Body.String() != want[1] || h.Get("Content-Type") != want[0] {
			t.Errorf("%s: %d bytes of %s", path, w.Body.Len(), h.Get("Content-Type"))
		}
		if page := path == "/docs"; page != strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
			t.Errorf("%s: policy %q", path, h.Get("Content-Security-Policy"))
		}
		again := httptest.NewRequest("GET", path, nil)
		again.Header.Set("If-None-Match", h.Get("ETag"))
		w = httptest.NewRecorder()
		if err := o.ServeHTTP(w, again, nil); err != nil || w.Code != http.StatusNotModified {
			t.Errorf("%s again: %d, %v", path, w.Code, err)
		}
	}
	if strings.Contains(api.Page(), "<script") {
		t.Error("the page has scripts")
	}
}

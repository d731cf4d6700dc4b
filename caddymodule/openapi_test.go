package caddymodule

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// askOpenAPI sends one request to the handler, and its error through the
// error renderer as Caddy does.
func askOpenAPI(t *testing.T, method string, headers ...string) *http.Response {
	t.Helper()
	return askDescription(t, "/openapi.yaml", method, headers...)
}

func askDescription(t *testing.T, path, method string, headers ...string) *http.Response {
	t.Helper()
	handler := new(OpenAPI)
	if err := handler.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	repl := caddy.NewReplacer()
	repl.Set("http.request.uuid", "an id")
	r := httptest.NewRequest(method, path, nil)
	r = r.WithContext(context.WithValue(r.Context(), caddy.ReplacerCtxKey, repl))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if err := handler.ServeHTTP(w, r, nil); err != nil {
		var refused *answers.Error
		var status caddyhttp.HandlerError
		if !errors.As(err, &status) || !errors.As(err, &refused) {
			t.Fatalf("the error is %v", err)
		}
		answerTo(err).WriteTo(w)
	}
	return w.Result()
}

func TestOpenAPIServesTheDocumentToAnyone(t *testing.T) {
	got := askOpenAPI(t, http.MethodGet)
	body, err := io.ReadAll(got.Body)
	if got.StatusCode != http.StatusOK || string(body) != api.OpenAPI() || err != nil {
		t.Errorf("%d, %d bytes, %v", got.StatusCode, len(body), err)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/yaml", "Cache-Control": "no-cache", "X-Request-Id": "an id",
	} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestDescriptionForPeopleIsAtDocsAndHasNoScripts(t *testing.T) {
	got := askDescription(t, "/docs", http.MethodGet)
	body, err := io.ReadAll(got.Body)
	if got.StatusCode != http.StatusOK || string(body) != api.Page() || err != nil || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d, %d bytes, %v, %v", got.StatusCode, len(body), got.Header, err)
	}
	if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(api.Page(), "<script") {
		t.Errorf("policy %q", policy)
	}
	etag := got.Header.Get("ETag")
	for method, want := range map[string]int{http.MethodGet: http.StatusNotModified, http.MethodHead: http.StatusNotModified, http.MethodPost: http.StatusMethodNotAllowed} {
		if got := askDescription(t, "/docs", method, "If-None-Match", etag); got.StatusCode != want {
			t.Errorf("%s: %d, want %d", method, got.StatusCode, want)
		}
	}
}

func TestOpenAPIIsSentWholeOrNotAtAll(t *testing.T) {
	etag := askOpenAPI(t, http.MethodGet).Header.Get("ETag")
	if len(etag) != 66 {
		t.Fatalf("the ETag is %s", etag)
	}
	tests := map[string]struct {
		method, header, value string
		status                int
		length                int
	}{
		"HEAD":                {http.MethodHead, "Accept", "*/*", http.StatusOK, 0},
		"same ETag":           {http.MethodGet, "If-None-Match", etag, http.StatusNotModified, 0},
		"same ETag, weak":     {http.MethodGet, "If-None-Match", "W/" + etag, http.StatusNotModified, 0},
		"HEAD with same ETag": {http.MethodHead, "If-None-Match", etag, http.StatusNotModified, 0},
		"one of several":      {http.MethodGet, "If-None-Match", `"x", ` + etag, http.StatusNotModified, 0},
		"any ETag":            {http.MethodGet, "If-None-Match", "*", http.StatusNotModified, 0},
		"other ETag":          {http.MethodGet, "If-None-Match", `"x"`, http.StatusOK, len(api.OpenAPI())},
		"Range":               {http.MethodGet, "Range", "bytes=0-3", http.StatusOK, len(api.OpenAPI())},
		"If-Match":            {http.MethodGet, "If-Match", `"x"`, http.StatusOK, len(api.OpenAPI())},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := askOpenAPI(t, tc.method, tc.header, tc.value)
			body, err := io.ReadAll(got.Body)
			if got.StatusCode != tc.status || len(body) != tc.length || err != nil {
				t.Errorf("%d, %d bytes, %v", got.StatusCode, len(body), err)
			}
			if got.Header.Get("ETag") != etag {
				t.Errorf("the ETag is %s", got.Header.Get("ETag"))
			}
		})
	}
}

func TestOpenAPIRefusesOtherMethods(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
		got := askOpenAPI(t, method)
		if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD" || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", method, got.StatusCode, got.Header)
		}
	}
}

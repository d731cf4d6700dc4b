package caddymodule

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/block"
)

// OpenAPI answers GET and HEAD with the description of the public API, OpenAPI
// 3.1 in YAML, to anyone: it asks for no key. It refuses other methods with
// 405. It answers at whatever address it is placed; the documented one is
// /openapi.yaml. At one whose last part is docs it answers with the page for people.
type OpenAPI struct {
	document, page description
}

// description is one form of the API's description.
type description struct {
	text, kind, etag, security string
}

func describe(text, kind string) description {
	sum := sha256.Sum256([]byte(text))
	d := description{text: text, kind: kind, etag: `"` + hex.EncodeToString(sum[:]) + `"`}
	if _, styled, ok := strings.Cut(text, "<style>"); ok {
		style, _, _ := strings.Cut(styled, "</style>")
		sum := sha256.Sum256([]byte(style))
		d.security = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'; base-uri 'none'"
	}
	return d
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_openapi
func (*OpenAPI) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (OpenAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_openapi", New: func() caddy.Module { return new(OpenAPI) }}
}

// Provision computes the ETags.
func (o *OpenAPI) Provision(caddy.Context) error {
	o.document = describe(api.OpenAPI(), "application/yaml")
	o.page = describe(api.Page(), "text/html; charset=utf-8")
	return nil
}

func (o *OpenAPI) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	requestID(w, r)
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(&answers.Error{
			Status:  http.StatusMethodNotAllowed,
			Message: "This address does not know the method.",
			Header:  http.Header{"Allow": {"GET, HEAD"}},
		})
	}
	asked := o.document
	if path.Base(r.URL.Path) == "docs" {
		asked = o.page
	}
	h.Set("ETag", asked.etag)
	h.Set("Cache-Control", "no-cache")
	// The quotes belong to an ETag, so one that is contained is one of the list.
	if known := strings.Join(r.Header.Values("If-None-Match"), ","); known == "*" || strings.Contains(known, asked.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", asked.kind)
	h.Set("Content-Length", strconv.Itoa(len(asked.text)))
	h.Set("X-Content-Type-Options", "nosniff")
	if asked.security != "" {
		h.Set("Content-Security-Policy", asked.security)
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	_, err := io.WriteString(w, asked.text)
	return err
}

// Interface guards
var (
	_ caddy.Provisioner           = (*OpenAPI)(nil)
	_ caddyhttp.MiddlewareHandler = (*OpenAPI)(nil)
)

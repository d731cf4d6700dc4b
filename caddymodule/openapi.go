package caddymodule

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/block"
)

// OpenAPI answers GET and HEAD with the description of the public API, OpenAPI
// 3.1 in YAML, to anyone: it asks for no key. It refuses other methods with
// 405. It answers at whatever address it is placed; the documented one is
// /openapi.yaml.
type OpenAPI struct {
	etag string
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_openapi
func (*OpenAPI) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (OpenAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_openapi", New: func() caddy.Module { return new(OpenAPI) }}
}

// Provision computes the document's ETag.
func (o *OpenAPI) Provision(caddy.Context) error {
	sum := sha256.Sum256([]byte(api.OpenAPI()))
	o.etag = `"` + hex.EncodeToString(sum[:]) + `"`
	return nil
}

func (o *OpenAPI) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	requestID(w, r)
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(&api.Error{
			Status:  http.StatusMethodNotAllowed,
			Message: "This address does not know the method.",
			Header:  http.Header{"Allow": {"GET, HEAD"}},
		})
	}
	h.Set("ETag", o.etag)
	h.Set("Cache-Control", "no-cache")
	// The quotes belong to an ETag, so one that is contained is one of the list.
	if known := strings.Join(r.Header.Values("If-None-Match"), ","); known == "*" || strings.Contains(known, o.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/yaml")
	h.Set("Content-Length", strconv.Itoa(len(api.OpenAPI())))
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	_, err := io.WriteString(w, api.OpenAPI())
	return err
}

// Interface guards
var (
	_ caddy.Provisioner           = (*OpenAPI)(nil)
	_ caddyhttp.MiddlewareHandler = (*OpenAPI)(nil)
)

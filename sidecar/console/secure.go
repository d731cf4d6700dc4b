package console

import (
	"net"
	"net/http"
	"strings"

	"github.com/svc-games/svc/sidecar/store"
)

// secured puts the headers and checks that every page has around a handler.
func (c *Console) secured(next http.Handler) http.Handler {
	forgery := http.NewCrossOriginProtection()
	forgery.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, http.StatusForbidden, "The form came from another site and was not taken.")
	}))
	checked := forgery.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy(c.options.Preview(r)))
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-write=(self)")
		if c.overTLS(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		checked.ServeHTTP(w, r.WithContext(store.Unhurried(r.Context())))
	})
}

// maxForm bounds a request's body, in bytes.
const maxForm = 64 << 10

// contentPolicy lets a page load nothing but our own files, and frame nothing
// but the preview. No script or style stands in a page.
func contentPolicy(preview string) string {
	frames := "'none'"
	if preview != "" {
		frames = preview
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
		"form-action 'self'", "frame-src " + frames, "frame-ancestors 'none'", "base-uri 'none'",
		"require-trusted-types-for 'script'",
	}, "; ")
}

// overTLS reports whether the browser speaks HTTPS.
func (c *Console) overTLS(r *http.Request) bool { return r.TLS != nil || c.options.Secure }

// private reports whether nobody between the browser and us can read along:
// a cookie without TLS is for this machine alone.
func (c *Console) private(r *http.Request) bool {
	if c.overTLS(r) {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// CORS lets scripts of other origins read the API. It never allows
// credentials: a key in a header is not sent by a browser of its own accord.
// The zero CORS allows no one and sets nothing.
type CORS struct {
	// Origins that may read, like "https://example.com"; "*" is every origin.
	Origins []string
}

// Validate checks the origins: "*" alone, or a scheme and a host each.
func (c CORS) Validate() error {
	for _, o := range c.Origins {
		if o == "*" {
			if len(c.Origins) > 1 {
				return errors.New("* means every origin and stands alone")
			}
			continue
		}
		u, err := url.Parse(o)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Scheme+"://"+u.Host != o {
			return fmt.Errorf("%q is not an origin like https://example.com", o)
		}
	}
	return nil
}

var (
	corsMethods = strings.Join([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}, ", ")
	corsRequest = strings.Join([]string{
		"Authorization", "X-API-Key", "Content-Type", "Idempotency-Key", "Last-Event-ID",
		"If-Match", "If-None-Match", "If-Range", "Range",
	}, ", ")
	corsResponse = strings.Join([]string{
		"X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After", "Allow", "ETag",
		"Content-Disposition", "Accept-Ranges", "Content-Range", "Deprecation", "Sunset", "Link",
		headerReplayed, "Svc-Job-Id", "Svc-Next-Cursor", "Svc-Poll-After", HeaderEngineState, HeaderPolicyRule,
	}, ", ")
)

// corsMaxAge is how long, in seconds, a browser may remember a preflight.
const corsMaxAge = "7200"

// Apply sets the headers of the answer to r. It returns true when r is a
// preflight: those headers are then all of the answer, 204, and no key is
// asked for, since a browser sends none.
func (c CORS) Apply(h http.Header, r *http.Request) (preflight bool) {
	if len(c.Origins) == 0 {
		return false
	}
	allowed := "*"
	if !slices.Contains(c.Origins, "*") {
		h.Add("Vary", "Origin")
		allowed = r.Header.Get("Origin")
		if !slices.Contains(c.Origins, allowed) {
			return false
		}
	}
	if r.Header.Get("Origin") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	h.Set("Access-Control-Expose-Headers", corsResponse)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsRequest)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	return true
}

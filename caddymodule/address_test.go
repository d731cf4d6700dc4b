package caddymodule

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestClientsAreCountedByTheAddressOneClientHas(t *testing.T) {
	tests := map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::9":      "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
		"@":                    "@",
		"":                     "",
	}
	for sent, want := range tests {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		vars := map[string]any{caddyhttp.ClientIPVarKey: sent}
		r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, vars))
		if got := clientAddress(r); got != want {
			t.Errorf("%q is counted as %q, want %q", sent, got, want)
		}
	}
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/sidecar"
)

// TestKeyIsTakenOutOfARequestBeforeTheSidecarIsThere: what handles the refusal must not
// see it, and junk is junk without a look-up.
func TestKeyIsTakenOutOfARequestBeforeTheSidecarIsThere(t *testing.T) {
	closed := func(context.Context) (sidecar.Service, error) { return nil, errors.New("not open yet") }
	a := &Auth{Sidecar: closed, Rates: NewRates(rate.NewLocal[string](1, time.Now), time.Now)}
	for sent, want := range map[string]int{api.NewKey(): http.StatusServiceUnavailable, "junk": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
		if sent != "" {
			r.Header.Set("Authorization", "Bearer "+sent)
			r.Header.Set("X-Api-Key", sent)
		}
		q, refused := a.Identify(r, netip.Addr{})
		if q != nil || refused == nil || refused.Status != want {
			t.Errorf("%q: %+v, %v; want %d", sent, q, refused, want)
		}
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("%q is left in the request", sent)
		}
	}
}

// TestClientWhoseBodyIsHereWaitsForNothing: a refusal must not close the connection of
// one that asked to be told when to go on.
func TestClientWhoseBodyIsHereWaitsForNothing(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/v1/generate", strings.NewReader("{}"))
	r.Header.Set("Expect", "100-continue")
	if _, refused := readBody(httptest.NewRecorder(), r, 1, nil); refused == nil || r.Header.Get("Expect") == "" {
		t.Errorf("a body that is too large: %v, Expect %q", refused, r.Header.Get("Expect"))
	}
	if _, refused := readBody(httptest.NewRecorder(), r, 2, nil); refused != nil || r.Header.Get("Expect") != "" {
		t.Errorf("one that was read: %v, Expect %q", refused, r.Header.Get("Expect"))
	}
}

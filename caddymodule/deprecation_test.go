package caddymodule_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule"
)

// TestEveryAnswerOfAnOperationOnItsWayOutSaysSo, a refusal as well, and none of another one.
func TestEveryAnswerOfAnOperationOnItsWayOutSaysSo(t *testing.T) {
	since := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	caddymodule.Deprecate(t, answers.Deprecation{Method: http.MethodGet, Path: "/v1/projects", Since: since, Sunset: since.AddDate(1, 0, 0)})
	d := newFakeBackend(t)
	key := d.key("key_1", "")
	g := d.gateway(t, wholeAPI)
	const gone = "Sat, 01 Jan 2028 00:00:00 GMT"
	for _, tc := range []struct {
		method, path, key string
		status            int
		sunset            string
	}{
		{"GET", "/v1/projects", key, http.StatusOK, gone},
		{"GET", "/v1/projects", "", http.StatusUnauthorized, gone},
		{"GET", "/v1/models", "", http.StatusUnauthorized, ""},
		{"POST", "/v1/projects", "", http.StatusUnauthorized, ""},
	} {
		got := g.send(tc.method, tc.path, tc.key, "")
		if got.StatusCode != tc.status || got.Header.Get("Sunset") != tc.sunset || (got.Header.Get("Deprecation") != "") != (tc.sunset != "") {
			t.Errorf("%s %s with the key %q: %d %v", tc.method, tc.path, tc.key, got.StatusCode, got.Header)
		}
	}
}

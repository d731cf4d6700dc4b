package caddymodule_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/wait"
)

// A proven socket saves the turn in which the engine shows that it is the one: the body
// comes with the request.
func TestOnlyAProvenSocketGetsTheBodyUnasked(t *testing.T) {
	for _, proven := range []bool{false, true} {
		t.Run(fmt.Sprintf("proven %t", proven), func(t *testing.T) {
			d := newFakeBackend(t)
			d.proven = proven
			asks := make(chan string, 1)
			d.engine(t, func(w http.ResponseWriter, r *http.Request) {
				asks <- r.Header.Get("Expect")
				accept(w, r)
			})
			g := d.gateway(t, wholeAPI)
			if got := g.do(g.submission(t.Context())); got.StatusCode != http.StatusOK {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}
			if asked := wait.For(t, "the engine is asked", asks) != ""; asked == proven {
				t.Errorf("the body waited for 100 Continue: %t", asked)
			}
			d.wantCalls(t, "reserve commit")
		})
	}
}

// What an engine refuses unread is refused, however much of it was on its way: a body that
// a socket does not hold waits for the engine.
func TestARefusalOfABodyThatWasNotReadIsNotLost(t *testing.T) {
	d := newFakeBackend(t)
	d.proven = true
	d.engine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(contract.HeaderRefused, "true")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"no room"}`)
	})
	g := d.gateway(t, wholeAPI)
	for _, size := range []int{64 << 10, 64<<10 + 1, 7 << 20} {
		d.forgetCalls()
		req := g.submission(t.Context())
		body := fmt.Sprintf(`{"projectId":%q,"prompt":"x","fill":""}`, testProject)
		body = body[:len(body)-2] + strings.Repeat("x", size-len(body)) + `"}`
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(size)
		if got := g.do(req); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "no room") {
			t.Errorf("%d bytes: %d %s", size, got.StatusCode, got.body)
		}
		d.wantCalls(t, "reserve release")
	}
}

package client

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// nobody is an address at which no one listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return "http://" + l.Addr().String()
}

func TestWrongAddressIsGivenUpWithinSeconds(t *testing.T) {
	c, clock := serve(t, accepted)
	wrong, err := New(Options{APIKey: testKey, BaseURL: nobody(t), Now: clock.Now, Sleep: clock.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	begun := clock.Now()
	_, err = wrong.Generate(t.Context(), request())
	if dial := (&net.OpError{}); !errors.As(err, &dial) || clock.Now().Sub(begun) > connectBudget {
		t.Errorf("after %s: %v", clock.Now().Sub(begun), err)
	}

	// A service that was there comes back.
	begun = clock.Now()
	if _, err := c.Generate(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	c.base = wrong.base
	if _, err = c.Generate(t.Context(), request()); err == nil || clock.Now().Sub(begun) < DefaultRetryBudget-lastBackoff {
		t.Errorf("after %s: %v", clock.Now().Sub(begun), err)
	}
}

func TestAddressOfSomethingElseIsSaidToBe(t *testing.T) {
	page := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/other" { // a redirect makes a GET of a submission
				writeJSON(w, 200, api.JobList{})
				return
			}
			w.Header().Set("Location", "/other")
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = w.Write([]byte("<!doctype html>"))
		}
	}
	for status, foreign := range map[int]bool{200: true, 301: true, 308: true, 404: true, 405: true, 502: false, 403: false} {
		c, clock := serve(t, page(status))
		begun := clock.Now()
		_, err := c.Generate(t.Context(), request())
		if waited := clock.Now().Sub(begun); err == nil || errors.Is(err, ErrForeign) != foreign || foreign && waited > 0 {
			t.Errorf("%d: submitting for %s: %v", status, waited, err)
		}
		if foreign {
			_, followed := collect(t.Context(), c)
			_, awaited := c.Wait(t.Context(), Job{ID: testJob})
			if waited := clock.Now().Sub(begun); !errors.Is(followed, ErrForeign) || !errors.Is(awaited, ErrForeign) || waited > 0 {
				t.Errorf("%d: following and waiting for %s: %v, %v", status, waited, followed, awaited)
			}
		}
		c.opts.RetryBudget = -1
		_, err = c.Models(t.Context())
		if err == nil || errors.Is(err, ErrForeign) != foreign || foreign && !strings.Contains(err.Error(), c.base.String()) {
			t.Errorf("%d: %v", status, err)
		}
	}
	plain := httptest.NewServer(page(200))
	defer plain.Close()
	c, err := New(Options{APIKey: testKey, BaseURL: strings.Replace(plain.URL, "http:", "https:", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Generate(t.Context(), request()); !errors.Is(err, http.ErrSchemeMismatch) {
		t.Errorf("https of what speaks http: %v", err)
	}
}

// TestRedirectIsSaidAndTheCallersOwnClientStaysAsItIs: only the copy refuses redirects.
func TestRedirectIsSaidAndTheCallersOwnClientStaysAsItIs(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("https://user:secret@example.com/v1/models", http.StatusMovedPermanently))
	defer server.Close()
	own := &http.Client{}
	c, err := New(Options{APIKey: testKey, BaseURL: server.URL, HTTPClient: own})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Models(t.Context())
	if err == nil || !strings.Contains(err.Error(), ": it redirects to https://user:xxxxx@example.com/v1/models.") || own.CheckRedirect != nil {
		t.Errorf("%t: %v", own.CheckRedirect == nil, err)
	}
}

func TestVersionAtTheEndOfTheAddressMakesNoDifference(t *testing.T) {
	c, _ := serve(t, accepted)
	for _, end := range []string{"", "/", "/v1", "/v1/"} {
		other, err := New(Options{APIKey: testKey, BaseURL: c.base.String() + end})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Generate(t.Context(), request()); err != nil {
			t.Errorf("%q: %v", end, err)
		}
	}
}

package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/site"
)

// asked is a site.Play that says with which options.
type asked struct{ site.PlayOptions }

func (a asked) Pages() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s %t %s at %s%s", a.Idle, a.Absolute, a.Secure, a.Identity(r), a.Origin(r), r.URL.Path)
	})
}

func (a asked) Games() http.Handler { return a.Pages() }

func TestGamesAreServedWithTheGatewaysOptions(t *testing.T) {
	conn := &connection{t: t, handler: PlayHandler(func(o site.PlayOptions) (site.Play, error) { return asked{o}, nil }, zap.NewNop())}
	for want, o := range map[string]site.PlayOptions{
		"0s 0s false  at /play/x": {},
		"10m0s 1h0m0s true alice at https://play.example.com/play/x": {
			Idle: 10 * time.Minute, Absolute: time.Hour, Secure: true, Identity: func(*http.Request) string { return "alice" },
			Origin: func(*http.Request) string { return "https://play.example.com" },
		},
	} {
		w := httptest.NewRecorder()
		NewPlay(conn, o, zap.NewNop()).Pages().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://svc.example.com/play/x", nil))
		if got, err := io.ReadAll(w.Body); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestPlayerReadsNothingOfTheConsoleWhileTheSidecarIsAway(t *testing.T) {
	away := roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") })
	w := httptest.NewRecorder()
	NewPlay(away, site.PlayOptions{}, zap.NewNop()).Pages().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://svc.example.com/play/x", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "onsole") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

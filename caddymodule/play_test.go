package caddymodule

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/site"
)

// twoHandlers say which of them answers.
type twoHandlers struct{}

func (twoHandlers) Pages() http.Handler { return says("pages") }
func (twoHandlers) Games() http.Handler { return says("games") }

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

func TestGamesAreServedAtTheirOwnHostAlone(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	shared := &Shared{backend: &backend{sidecar: &OpenedSidecar{
		Play: func(site.PlayOptions) (site.Play, error) { return twoHandlers{}, nil },
	}}}
	p := &Play{Origin: "https://play.example.com:8443", host: "play.example.com:8443", app: &App{ready: ready, shared: shared}, logger: zap.NewNop()}
	next := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		_, err := io.WriteString(w, "next")
		return err
	})
	for _, tc := range []struct{ host, path, want string }{
		{"svc.example.com", "/play/x", "pages"},
		{"svc.example.com", "/g/v1/b", "next"},
		{"svc.example.com", "/f/x/y/index.html", "next"},
		{"play.example.com", "/f/x/y/index.html", "next"}, // another port
		{"play.example.com:8443", "/f/x/y/index.html", "games"},
		{"PLAY.example.com:8443", "/g/v1/b", "games"},
		{"play.example.com:8443", "/play/x", "games"},
		{"play.example.com:8443", "/console/", "games"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, tc.path, nil)
		r.Host = tc.host
		if err := p.ServeHTTP(w, r, next); err != nil || w.Body.String() != tc.want {
			t.Errorf("%s%s: %q, %v, want %s", tc.host, tc.path, w.Body, err, tc.want)
		}
	}
}

func TestWhoPlaysIsKnownAsTheConsoleKnowsThem(t *testing.T) {
	var got site.PlayOptions
	shared := &Shared{backend: &backend{sidecar: &OpenedSidecar{
		Play: func(o site.PlayOptions) (site.Play, error) { got = o; return twoHandlers{}, nil },
	}}}
	console := &Console{Idle: caddy.Duration(time.Minute), Absolute: caddy.Duration(time.Hour), Identity: "{http.auth.user.id}"}
	p := &Play{app: &App{console: console}, logger: zap.NewNop()}
	if _, _, err := p.open(shared); err != nil {
		t.Fatal(err)
	}
	repl := caddy.NewReplacer()
	repl.Set("http.auth.user.id", "alice")
	r := httptest.NewRequest(http.MethodGet, "/play/x", nil)
	r = r.WithContext(context.WithValue(r.Context(), caddy.ReplacerCtxKey, repl))
	if got.Idle != time.Minute || got.Absolute != time.Hour || got.Identity(r) != "alice" {
		t.Errorf("the options are %+v", got)
	}
}

func TestPortOfGamesIsTheSameAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "play.port")
	ports := &previews{file: file, logger: zap.NewNop()}
	open := func() string {
		l, err := ports.listen()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.Addr().String()
	}
	first := open()
	if again := open(); again != first {
		t.Errorf("at %s, and then at %s", first, again)
	}
	taken, err := ports.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if other := open(); other == first {
		t.Error("two have one port")
	}
}

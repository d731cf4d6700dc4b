package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/caddymodule/gateway"
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

// TestNoLogHasTheAddressOfAPlayerWhoIsNotAnswered: Caddy logs the request of each error that
// it gets.
func TestNoLogHasTheAddressOfAPlayerWhoIsNotAnswered(t *testing.T) {
	for name, tc := range map[string]struct {
		served site.Play
		err    error
	}{"the service can't be opened": {nil, errors.New("no disk")}, "it asks for what there is not": {asksForNothing{}, nil}} {
		ready := make(chan struct{})
		close(ready)
		shared := &Shared{backend: &backend{sidecar: &OpenedSidecar{Play: func(site.PlayOptions) (site.Play, error) { return tc.served, tc.err }}}}
		logged, lines := observer.New(zap.DebugLevel)
		p := &Play{app: &App{ready: ready, shared: shared}, logger: zap.New(logged)}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/play/x", nil)
		if r.RemoteAddr = "198.51.100.23:4711"; p.ServeHTTP(w, r, nil) != nil || w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d, Caddy gets its error", name, w.Code)
		}
		if lines.Len() != 1 || strings.Contains(fmt.Sprint(lines.All()), "198.51.100.23") {
			t.Errorf("%s: logged %v", name, lines.All())
		}
	}
}

// asksForNothing asks for what no gateway has.
type asksForNothing struct{}

func (asksForNothing) Pages() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { site.Serve{What: "nothing", JobID: "x"}.Ask(w) })
}

func (a asksForNothing) Games() http.Handler { return a.Pages() }

// TestPortOfGamesIsOpenAgainAfterARestart: a page that was open before asks for no other one.
func TestPortOfGamesIsOpenAgainAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "play.port")
	start := func() *previews {
		ports := &previews{
			file: file, logger: zap.NewNop(), core: func() *gateway.Console { return new(gateway.Console) },
			open: func() (http.Handler, error) { return says("games"), nil },
		}
		t.Cleanup(func() {
			if err := ports.close(); err != nil {
				t.Error(err)
			}
		})
		return ports
	}
	before := start()
	before.reopen()
	if before.listener != nil {
		t.Error("a port is open where no game was ever shown")
	}
	port, err := before.port()
	if err != nil {
		t.Fatal(err)
	}
	beside := start()
	beside.reopen()
	if beside.listener != nil {
		t.Error("another one is open beside it")
	}
	if err := before.close(); err != nil {
		t.Fatal(err)
	}
	start().reopen()
	got, err := http.Get("http://127.0.0.1:" + port)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if text, err := io.ReadAll(got.Body); err != nil || string(text) != "games" {
		t.Errorf("it answers %q, %v", text, err)
	}
}

package caddymodule

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/svc-games/svc/caddymodule/gateway"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/site"
)

// TestADecisionOnAPreviewIsForTheRequestThatItsReaderKnows is at both places where previews
// are served.
func TestADecisionOnAPreviewIsForTheRequestThatItsReaderKnows(t *testing.T) {
	var seen peer.Request
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = peer.RequestOf(r.Context())
		w.Header().Set("Content-Security-Policy", "the console's")
		w.Header().Set(site.ServeHeader, site.ServePreview+" job_01ARZ3NDEKTSV4RRFFQ69G5FAV")
		w.WriteHeader(http.StatusOK)
	})
	core := &gateway.Console{Locator: &gateway.Locator{Engines: noFiles{}}, Previews: gateway.NewPreviews()}
	games := &previews{answers: answers, core: func() *gateway.Console { return core }, logger: zap.NewNop()}
	defer games.close()
	check := func(place string, status int, header http.Header, want peer.Request) {
		t.Helper()
		if status != http.StatusNotFound || header.Get("X-Request-Id") != seen.ID || seen.ID == "" || header.Get("Content-Security-Policy") == "the console's" {
			t.Errorf("%s: %d with %v, decided for %+v", place, status, header, seen)
		}
		if want.ID == "" {
			want.ID = seen.ID
		}
		if seen != want {
			t.Errorf("%s: decided for %+v, want %+v", place, seen, want)
		}
	}

	port, err := games.port()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/x", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Request-Id", "of-a-game") // which is hostile
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		check("at a port of its own", answer.StatusCode, answer.Header, peer.Request{IP: "127.0.0.1", Method: "GET", UserAgent: "Go-http-client/1.1"})
		ids[seen.ID] = true
	}
	if len(ids) != 2 || ids["of-a-game"] {
		t.Errorf("two requests are known by %v", ids)
	}

	ready := make(chan struct{})
	close(ready)
	p := &Preview{app: &App{ready: ready, shared: &Shared{previews: games}}, core: func(*Shared) *gateway.Console { return core }}
	repl := caddy.NewReplacer()
	repl.Set("http.request.uuid", "r-1")
	r := httptest.NewRequest(http.MethodGet, "/x", http.NoBody)
	w := httptest.NewRecorder()
	if err := p.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), caddy.ReplacerCtxKey, repl)), nil); err != nil {
		t.Fatal(err)
	}
	check("at a site", w.Code, w.Header(), peer.Request{ID: "r-1", IP: "192.0.2.1", Method: "GET"})
}

// pipes is a listener for connections in memory.
type pipes struct {
	conns chan net.Conn
	close func()
}

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) Close() error { p.close(); return nil }

func TestAConnectionThatAsksForNoMoreOfAGameEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipes{conns: make(chan net.Conn)}
		l.close = sync.OnceFunc(func() { close(l.conns) })
		games := &previews{core: func() *gateway.Console { return new(gateway.Console) }, logger: zap.NewNop()}
		defer games.close()
		games.serve(l, http.NotFoundHandler())
		browser, server := net.Pipe()
		l.conns <- server
		if _, err := io.WriteString(browser, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(browser), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusNotFound {
			t.Errorf("%d, %v", answer.StatusCode, err)
		}
		begun := time.Now()
		if n, err := browser.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(begun) != idleGame {
			t.Errorf("after %s: %d bytes, %v", time.Since(begun), n, err)
		}
	})
}

// TestNoSpanHasTheAddressOfAPreview: who has it may see the game.
func TestNoSpanHasTheAddressOfAPreview(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	games := &previews{answers: http.NotFoundHandler(), logger: zap.NewNop()}
	core := &gateway.Console{Previews: gateway.NewPreviews()}
	p := &Preview{app: &App{ready: ready, shared: &Shared{previews: games}}, core: func(*Shared) *gateway.Console { return core }}
	recorded := tracetest.NewSpanRecorder()
	r := httptest.NewRequest(http.MethodGet, "/needle-of-a-code/7/index.html", http.NoBody)
	ctx, s := trace.NewTracerProvider(trace.WithSpanProcessor(recorded)).Tracer("caddy").Start(
		context.WithValue(r.Context(), caddy.ReplacerCtxKey, caddy.NewReplacer()), "handler",
		oteltrace.WithAttributes(attribute.String("url.path", r.URL.Path)))
	if err := p.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx), nil); err != nil {
		t.Fatal(err)
	}
	s.End()
	if got := recorded.Ended()[0].Attributes(); len(got) != 1 || got[0].Value.AsString() != "/" {
		t.Errorf("it has %v", got)
	}
}

// noFiles are engines whose jobs left no files.
type noFiles struct{ engineproxy.Engines }

func (noFiles) Files(context.Context, string) (engineproxy.File, error) {
	return engineproxy.File{}, engineproxy.ErrNotArchived
}

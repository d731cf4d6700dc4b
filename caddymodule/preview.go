package caddymodule

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/span"
)

// Preview serves the games that the console shows in a frame. It stands at an
// origin of its own, which svc_console's option preview names: a game is
// hostile input and must not share one with the console.
type Preview struct {
	app  *App
	core func(*Shared) *gateway.Console
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_preview
func (*Preview) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (Preview) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_preview", New: func() caddy.Module { return new(Preview) }}
}

// Provision finds the app.
func (p *Preview) Provision(ctx caddy.Context) (err error) {
	logger := ctx.Logger()
	p.core = afterStart(func(shared *Shared) *gateway.Console { return consoleCore(shared, logger) })
	p.app, err = appOf(ctx)
	return err
}

func (p *Preview) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	span.Describe(r.Context(), "url.path", "/") // who has the address may see the game
	shared, err := p.app.Shared(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	handler, err := shared.previews.handler()
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	clientAddress(r)
	return handOn(p.core(shared).Serve(w, asRequest(r, requestID(w, r)), handler, nil))
}

// asRequest returns a request that what is done for it knows by an id.
func asRequest(r *http.Request, id string) *http.Request {
	return r.WithContext(peer.WithRequest(r.Context(), peer.Request{ID: id}))
}

// previews serves games at a port of 127.0.0.1 for a site at localhost. It
// outlives reloads, as a page that shows a game does.
type previews struct {
	open   func() (http.Handler, error)
	core   func() *gateway.Console
	file   string // that remembers the port over restarts, "" for none
	logger *zap.Logger

	mu       sync.Mutex
	answers  http.Handler
	listener net.Listener
	server   *http.Server
}

// handler returns what answers for previews.
func (p *previews) handler() (http.Handler, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil {
		answers, err := p.open()
		if err != nil {
			return nil, err
		}
		p.answers = answers
	}
	return p.answers, nil
}

// port returns the port, opened when it is first asked for.
func (p *previews) port() (string, error) {
	handler, err := p.handler()
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		l, err := p.listen()
		if err != nil {
			return "", err
		}
		p.serve(l, handler)
	}
	_, port, err := net.SplitHostPort(p.listener.Addr().String())
	return port, err
}

// reopen opens the port that is remembered, if there is one and it is free: pages that were
// open before a restart go on as soon as it is over.
func (p *previews) reopen() {
	l := p.remembered()
	if l == nil {
		return
	}
	handler, err := p.handler()
	if err != nil {
		p.logger.Warn("port of games not opened again", zap.Error(errors.Join(err, l.Close())))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve(l, handler)
}

// idleGame is how long a connection to the port may ask for nothing.
const idleGame = 5 * time.Minute

// serve answers at a listener. The caller holds mu.
func (p *previews) serve(l net.Listener, handler http.Handler) {
	p.listener = l
	core := p.core()
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       idleGame,
		ErrorLog:          zap.NewStdLog(p.logger),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := rand.Text()
			w.Header().Set("X-Request-Id", id)
			if err := core.Serve(w, asRequest(r, id), handler, nil); err != nil {
				http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
			}
		}),
	}
	p.server = server
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			p.logger.Error("preview failed", zap.Error(err))
		}
	}()
}

// listen opens the port that is remembered, if it is free, else another one.
func (p *previews) listen() (net.Listener, error) {
	if p.file == "" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	if l := p.remembered(); l != nil {
		return l, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err == nil {
		err = os.WriteFile(p.file, []byte(port+"\n"), 0o600)
	}
	if err != nil { // games are shown all the same
		p.logger.Warn("port of games not remembered", zap.Error(err))
	}
	return l, nil
}

// remembered opens the port that is remembered, or returns nil where there is none that is free.
func (p *previews) remembered() net.Listener {
	text, err := os.ReadFile(p.file)
	if err != nil {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(text))))
	if err != nil {
		return nil
	}
	return l
}

// originFor returns where the browser of a request finds games, "" if the site is not at
// localhost. The name of the machine is another one than the site's, so that no cookie
// goes there.
func (p *previews) originFor(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	other := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost"}[host]
	if other == "" {
		return ""
	}
	port, err := p.port()
	if err != nil {
		p.logger.Error("preview can't be opened", zap.Error(err))
		return ""
	}
	return "http://" + net.JoinHostPort(other, port)
}

// close ends the port.
func (p *previews) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := p.server.Shutdown(ctx)
	if err != nil {
		err = p.server.Close()
	}
	// A server that does not yet serve leaves its listener open.
	if closed := p.listener.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Preview)(nil)
	_ caddyhttp.MiddlewareHandler = (*Preview)(nil)
)

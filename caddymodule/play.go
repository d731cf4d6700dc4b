package caddymodule

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/sidecar/site"
)

// Play shows published games to players: their pages under /play/, and at an origin of
// their own the games, and what they report. Without such an origin there are none.
type Play struct {
	// The games' origin, like https://play.example.com, at which this handler stands
	// as well. A game is hostile input: its host must not be the site's. "off" shows no
	// games. Default: $SVC_PLAY_ORIGIN, else for a site at localhost a port of 127.0.0.1
	// that the kernel chooses once, else off.
	Origin string `json:"origin,omitempty"`

	// Browsers come by HTTPS though requests arrive here without.
	BehindTLS bool `json:"behind_tls,omitempty"`

	app    *App
	logger *zap.Logger
	host   string // the origin's, "" for none

	mu   sync.Mutex
	made site.Play
	core *gateway.Console
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_play [<matcher>] {
//	    origin     <origin>|off
//	    behind_tls
//	}
func (p *Play) Caddyfile() block.Options {
	return block.Options{
		{Name: "origin", Form: "<origin>|off", Read: block.Text(&p.Origin),
			Default: "`$SVC_PLAY_ORIGIN`, else at localhost a port of 127.0.0.1 that the kernel chooses once, else `off`",
			Meaning: "the games' origin, whose site also has `svc_play`; its host must differ from the site's"},
		{Name: "behind_tls", Read: block.Flag(&p.BehindTLS), Default: "not set",
			Meaning: "browsers use HTTPS, and a proxy in front terminates TLS"},
	}
}

// CaddyModule returns the Caddy module information.
func (*Play) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_play", New: func() caddy.Module { return new(Play) }}
}

// Provision finds the app.
func (p *Play) Provision(ctx caddy.Context) (err error) {
	p.logger = ctx.Logger()
	p.Origin = cmp.Or(p.Origin, os.Getenv("SVC_PLAY_ORIGIN"))
	if p.Origin != "" && p.Origin != previewOff {
		u, ok := parseOrigin(p.Origin)
		if !ok {
			return fmt.Errorf("origin must be one like https://play.example.com, or off, is %q", p.Origin)
		}
		p.host = u.Host
	}
	p.app, err = appOf(ctx)
	return err
}

// parseOrigin reads an origin, which has nothing but a scheme, a host and maybe a port.
func parseOrigin(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, false
	}
	return u, true
}

func (p *Play) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	games := p.host != "" && strings.EqualFold(r.Host, p.host)
	if !games && !strings.HasPrefix(r.URL.Path, site.PlayPath) {
		return next.ServeHTTP(w, r)
	}
	// Players' addresses are kept nowhere: no access log has them, and no log of errors, to
	// which Caddy writes the request of each error that it gets.
	caddyhttp.SetVar(r.Context(), caddyhttp.LogSkipVar, true)
	if err := p.answer(w, r, games); err != nil && r.Context().Err() == nil {
		p.logger.Error("players not answered", zap.Error(err))
		w.Header().Set("Retry-After", "5")
		http.Error(w, "Games can't be shown right now.", http.StatusServiceUnavailable)
	}
	return nil
}

func (p *Play) answer(w http.ResponseWriter, r *http.Request, games bool) error {
	shared, err := p.app.Shared(r.Context())
	if err != nil {
		return err
	}
	made, core, err := p.open(shared)
	if err != nil {
		return err
	}
	clientAddress(r)
	answers := made.Pages()
	if games {
		answers = made.Games()
	}
	return core.Serve(w, asRequest(r, requestID(w, r)), answers, nil)
}

// open returns what answers players, made when it is first asked for.
func (p *Play) open(shared *Shared) (site.Play, *gateway.Console, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		o := site.PlayOptions{Secure: p.BehindTLS, Origin: func(r *http.Request) string { return p.origin(shared, r) }}
		if c := p.app.console; c != nil {
			of := c.options(shared)
			o.Idle, o.Absolute, o.Identity = of.Idle, of.Absolute, of.Identity
		}
		made, err := shared.backend.sidecar.Play(o)
		if err != nil {
			return nil, nil, err
		}
		p.made, p.core = made, playCore(shared, p.logger)
	}
	return p.made, p.core, nil
}

// playCore returns what serves games.
func playCore(shared *Shared, logger *zap.Logger) *gateway.Console {
	core := consoleCore(shared, logger)
	library, err := kit.Source("page/svc.js")
	if err != nil {
		logger.Error("library of games not found", zap.Error(err)) // it is embedded
	}
	core.Library = library
	return core
}

// origin returns where a request's browser finds games.
func (p *Play) origin(shared *Shared, r *http.Request) string {
	switch p.Origin {
	case previewOff:
		return ""
	case "":
		return shared.plays.originFor(r)
	}
	return p.Origin
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Play)(nil)
	_ caddyhttp.MiddlewareHandler = (*Play)(nil)
	_ Configurable                = (*Play)(nil)
)

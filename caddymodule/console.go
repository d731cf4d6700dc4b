package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/caddymodule/gateway/studio"
	"github.com/svc-games/svc/sidecar/site"
)

// Console is the web interface for owners of keys, under /console/. API keys
// don't open it: people sign in by a one-time link, with an OpenID provider, or
// as whom Caddy's own authentication names.
type Console struct {
	// The origin at which svc_preview stands, like https://preview.example.com.
	// A game is hostile input: it must not be an address of the console. "off"
	// shows no previews. Default: for a console at localhost a port of
	// 127.0.0.1 that the kernel chooses, else off.
	Preview string `json:"preview,omitempty"`

	// Who is signed in, a placeholder like {http.auth.user.id} that an
	// authentication handler before this one sets. Default: none.
	Identity string `json:"identity,omitempty"`

	// Browsers come by HTTPS though requests arrive here without.
	BehindTLS bool `json:"behind_tls,omitempty"`

	// How long a session lasts that is not used. Default: 1h.
	Idle caddy.Duration `json:"idle,omitempty"`

	// How long a session lasts at most. Default: 12h.
	Absolute caddy.Duration `json:"absolute,omitempty"`

	// An OpenID provider. Default: none.
	OIDC *ConsoleOIDC `json:"oidc,omitempty"`

	app    *App
	logger *zap.Logger
	core   func(*Shared) *gateway.Console

	mu   sync.Mutex
	made site.Site
}

// ConsoleOIDC is an OpenID provider that users sign in with.
type ConsoleOIDC struct {
	// The provider's address, where its metadata are found.
	Issuer string `json:"issuer"`

	ClientID string `json:"client_id"`

	// Placeholders are replaced when the configuration is loaded; write a
	// secret as {env.NAME}, so that it is in no configuration.
	ClientSecret string `json:"client_secret,omitempty"`

	// What the button says. Default: the issuer.
	Name string `json:"name,omitempty"`

	// Which claim is the user's id: email, which must be verified, or sub.
	// Default: email.
	Claim string `json:"claim,omitempty"`
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_console [<matcher>] {
//	    preview    <origin>|off
//	    identity   <placeholder>
//	    behind_tls
//	    idle       <duration>
//	    absolute   <duration>
//	    oidc {
//	        ...
//	    }
//	}
func (c *Console) Caddyfile() block.Options {
	return block.Options{
		{Name: "preview", Form: "<origin>|off", Read: block.Text(&c.Preview), Default: "at localhost a port of 127.0.0.1 that the kernel chooses, else `off`",
			Meaning: "origin of the site with `svc_preview`"},
		{Name: "identity", Form: "<placeholder>", Read: block.Text(&c.Identity), Default: "none", Meaning: "placeholder that has the signed-in user"},
		{Name: "behind_tls", Read: block.Flag(&c.BehindTLS), Default: "not set",
			Meaning: "browsers use HTTPS, and a proxy in front terminates TLS"},
		{Name: "idle", Form: "<duration>", Read: Duration(&c.Idle), Default: "`1h`", Meaning: "how long an unused session lasts"},
		{Name: "absolute", Form: "<duration>", Read: Duration(&c.Absolute), Default: "`12h`", Meaning: "how long a session lasts at most"},
		{Name: "oidc", Read: func(at *block.Cursor) error {
			if args := at.Args(); len(args) > 0 {
				return at.Errorf(" takes a block and no arguments, got %q", args[0])
			}
			c.OIDC = new(ConsoleOIDC)
			return at.Block(c.OIDC.Caddyfile())
		}, Default: "none", Meaning: "an OpenID provider"},
	}
}

// Caddyfile implements Configurable. Syntax:
//
//	oidc {
//	    issuer        <url>
//	    client_id     <id>
//	    client_secret <secret>
//	    name          <label>
//	    claim         email|sub
//	}
func (o *ConsoleOIDC) Caddyfile() block.Options {
	return block.Options{
		{Name: "issuer", Form: "<url>", Read: block.Text(&o.Issuer), Default: "required", Meaning: "the provider's address, for its discovery document"},
		{Name: "client_id", Form: "<id>", Read: block.Text(&o.ClientID), Default: "required", Meaning: "this service's client id at the provider"},
		{Name: "client_secret", Form: "<secret>", Read: block.Text(&o.ClientSecret), Default: "none", Meaning: "write it as `{env.NAME}`, or as `{file.PATH}`, which `caddy reload --force` reads again"},
		{Name: "name", Form: "<label>", Read: block.Text(&o.Name), Default: "the issuer", Meaning: "text of the sign-in button"},
		{Name: "claim", Form: "email|sub", Read: block.Text(&o.Claim), Default: "`email`", Meaning: "which claim is the user's id: the verified `email`, or `sub`"},
	}
}

// provision reads what the secret names.
func (o *ConsoleOIDC) provision() (err error) {
	if o.ClientSecret, err = caddy.NewReplacer().ReplaceOrErr(o.ClientSecret, true, false); err != nil {
		return fmt.Errorf("oidc: client_secret: %w", err)
	}
	return nil
}

// previewOff shows no previews.
const previewOff = "off"

// CaddyModule returns the Caddy module information.
func (*Console) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_console", New: func() caddy.Module { return new(Console) }}
}

// Provision finds the app.
func (c *Console) Provision(ctx caddy.Context) (err error) {
	c.logger = ctx.Logger()
	c.core = afterStart(func(shared *Shared) *gateway.Console { return consoleCore(shared, c.logger) })
	if c.OIDC != nil {
		if err := c.OIDC.provision(); err != nil {
			return err
		}
	}
	if c.app, err = appOf(ctx); err != nil {
		return err
	}
	if c.app.console == nil {
		c.app.console = c
	}
	return nil
}

// Validate checks the options.
func (c *Console) Validate() error {
	if c.Preview != "" && c.Preview != previewOff {
		if _, ok := parseOrigin(c.Preview); !ok {
			return fmt.Errorf("preview must be an origin like https://preview.example.com, or off, is %q", c.Preview)
		}
	}
	if c.Idle < 0 || c.Absolute < 0 {
		return errors.New("idle and absolute must not be negative")
	}
	return c.options(nil).Validate()
}

// options are those of the console, with previews as the app's shared state
// serves them; nil for the options alone.
func (c *Console) options(shared *Shared) site.Options {
	o := site.Options{
		Secure: c.BehindTLS, Idle: time.Duration(c.Idle), Absolute: time.Duration(c.Absolute),
		Preview: func(r *http.Request) string { return c.previewOrigin(shared, r) },
	}
	if c.Identity != "" {
		o.Identity = func(r *http.Request) string {
			repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
			return repl.ReplaceAll(c.Identity, "")
		}
	}
	if c.OIDC != nil {
		o.OIDC = &site.OIDC{
			Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret,
			Name: c.OIDC.Name, Claim: c.OIDC.Claim,
		}
	}
	return o
}

// previewOrigin returns where a request's browser finds previews.
func (c *Console) previewOrigin(shared *Shared, r *http.Request) string {
	if c.Preview == previewOff {
		return ""
	}
	if c.Preview != "" {
		return c.Preview
	}
	return shared.previews.originFor(r)
}

func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !strings.HasPrefix(r.URL.Path, site.Path) {
		return next.ServeHTTP(w, r)
	}
	shared, err := c.app.Shared(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	handler, err := c.handler(shared)
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	clientAddress(r)
	err = c.core(shared).Serve(w, asRequest(r, requestID(w, r)), handler, handler.Ended)
	metrics.refusedStream(err)
	return handOn(err)
}

// handler returns the console, made when it is first asked for: the app was
// not started before.
func (c *Console) handler(shared *Shared) (site.Site, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		made, err := shared.backend.sidecar.Console(c.options(shared))
		if err != nil {
			return nil, err
		}
		c.made = made
	}
	return c.made, nil
}

// A submission of the studio waits studioHold for its engine; its page counts studioRetry
// down and sends it again.
const (
	studioHold  = 2 * time.Second
	studioRetry = 5 * time.Second
)

// studioRate is how many requests the studio of one user may send, a second and at once:
// a page is one, and a few for what is on it. Files of a game that is shown are none.
var studioRate = rate.PerSecond(20, 200)

// editorFolder is where `make build` puts the studio's editor: beside the program.
func editorFolder() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(exe), "studio")
}

// consoleCore returns what serves a console, or its previews.
func consoleCore(shared *Shared, logger *zap.Logger) *gateway.Console {
	core := &gateway.Console{
		Locator: &gateway.Locator{
			Sidecar: shared.Sidecar, Engines: shared.Engines, Models: shared.models, Now: time.Now, Streams: shared.Streams, Jobs: shared.jobs,
			Hold: studioHold, RetryAfter: studioRetry, Ended: shared.cache.JobEnded, StreamBroken: logBroken(logger),
		},
		Previews: shared.games,
	}
	made, err := studio.New(studio.Parts{
		Sidecar: shared.Sidecar, Engines: shared.Engines, Models: shared.models, Locator: core.Locator, Editor: editorFolder(), Logger: logger, Previews: shared.games,
		Answers: &shared.Answers, Rates: shared.people, Rate: studioRate,
		Access:   &gateway.Access{Sidecar: shared.Sidecar, Routes: shared.Routes, Models: shared.models, Bodies: &shared.Bodies},
		Projects: &gateway.Projects{Sidecar: shared.Sidecar, Engines: shared.Engines},
		Quota: &gateway.Submitter{
			Sidecar: shared.Sidecar, Engines: shared.Engines, Routes: shared.Routes, RetryAfter: studioRetry, Timeout: 30 * time.Second,
			Deadline: time.Minute, Now: time.Now, Outcome: metrics.submitted, Logger: logger,
		},
	})
	if err != nil {
		logger.Error("studio can't be served", zap.Error(err)) // its pages are embedded
		return core
	}
	core.Studio = made
	return core
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Console)(nil)
	_ caddy.Validator             = (*Console)(nil)
	_ caddyhttp.MiddlewareHandler = (*Console)(nil)
)

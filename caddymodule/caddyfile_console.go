package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// parseConsole sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_console [<matcher>] {
//	    preview    <origin>|off
//	    identity   <placeholder>
//	    behind_tls
//	    idle       <duration>
//	    absolute   <duration>
//	    oidc {
//	        issuer        <url>
//	        client_id     <id>
//	        client_secret <secret>
//	        name          <label>
//	        claim         email|sub
//	    }
//	}
func parseConsole(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	c := new(Console)
	return c, options(h.Dispenser, map[string]func(*caddyfile.Dispenser) error{
		"preview":  func(d *caddyfile.Dispenser) error { return one(d, &c.Preview) },
		"identity": func(d *caddyfile.Dispenser) error { return one(d, &c.Identity) },
		"behind_tls": func(d *caddyfile.Dispenser) error {
			c.BehindTLS = true
			if d.NextArg() {
				return d.ArgErr()
			}
			return nil
		},
		"idle":     func(d *caddyfile.Dispenser) error { return duration(d, &c.Idle) },
		"absolute": func(d *caddyfile.Dispenser) error { return duration(d, &c.Absolute) },
		"oidc":     func(d *caddyfile.Dispenser) error { return parseOIDC(d, c) },
	})
}

func parseOIDC(d *caddyfile.Dispenser, c *Console) error {
	o := new(ConsoleOIDC)
	c.OIDC = o
	if d.NextArg() {
		return d.ArgErr()
	}
	known := map[string]*string{
		"issuer": &o.Issuer, "client_id": &o.ClientID, "client_secret": &o.ClientSecret, "name": &o.Name, "claim": &o.Claim,
	}
	for d.NextBlock(1) {
		name := d.Val()
		into, ok := known[name]
		if !ok {
			return unknownOption(d, "svc_console: oidc", "claim, client_id, client_secret, issuer, name")
		}
		if *into != "" {
			return d.Errf("svc_console: oidc: %s is given twice", name)
		}
		if err := one(d, into); err != nil {
			return err
		}
	}
	return nil
}

// parsePreview sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_preview
func parsePreview(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	return new(Preview), noOptions(h.Dispenser)
}

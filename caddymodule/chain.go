package caddymodule

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
)

// Chain is what svc_api stands for: write it out in a site, inside
// "handle /v1/* {…}", to change it.
const Chain = `route {
	request_header -Svc-*
	svc_auth
	svc_access
	svc_projects
	svc_engine
	svc_quota
	reverse_proxy {
		dynamic svc_engine
		flush_interval -1
		header_down -Server
		transport http {
			dial_timeout 2s
			expect_continue_timeout 30s
			compression off
			keepalive off
		}
	}
}`

// ErrorChain is the rest of it, for the site's handle_errors.
const ErrorChain = `svc_error`

// parseAPI sets up the whole /v1 chain, as php_fastcgi does for PHP. Syntax:
//
//	svc_api {
//	    <options of svc_auth, svc_access, svc_engine and svc_quota>
//	}
//
// It is the same as:
//
//	handle /v1/* {
//	    <Chain, with the options in their steps>
//	}
//	handle_errors {
//	    svc_error
//	}
func parseAPI(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	text := Chain
	if err := block.Directive(h.Dispenser, stepOptions(h.Dispenser, &text)); err != nil {
		return nil, err
	}
	chain, err := subroute(h, "svc_api", text)
	if err != nil {
		return nil, err
	}
	onError, err := subroute(h, "svc_api", ErrorChain)
	if err != nil {
		return nil, err
	}
	v1 := caddy.ModuleMap{"path": h.JSON(caddyhttp.MatchPath{"/v1/*"})}
	return append(h.NewRoute(v1, chain), httpcaddyfile.ConfigValue{
		Class: "error_route",
		Value: &caddyhttp.Subroute{Routes: caddyhttp.RouteList{{
			HandlersRaw: []json.RawMessage{caddyconfig.JSONModuleObject(onError, "handler", "subroute", nil)},
		}}},
	}), nil
}

// stepOptions are the options of the chain's steps. Those that are read are written into
// the chain.
func stepOptions(d *caddyfile.Dispenser, chain *string) (all block.Options) {
	for _, step := range []struct {
		name    string
		options block.Options
	}{
		{"svc_auth", new(Auth).Caddyfile()}, {"svc_access", new(Access).Caddyfile()},
		{"svc_engine", new(Engine).Caddyfile()}, {"svc_quota", new(Quota).Caddyfile()},
	} {
		for _, o := range step.options {
			read := o.Read
			o.Read = func(c *block.Cursor) error {
				args := c.Args()
				if err := read(block.At(given{d, args}, c.Path)); err != nil {
					return err
				}
				*chain = withOption(*chain, step.name, o.Name, args)
				return nil
			}
			all = append(all, o)
		}
	}
	return all
}

// withOption returns a chain with an option in the block of a step.
func withOption(chain, step, option string, args []string) string {
	line := "\t\t" + option
	for _, arg := range args {
		line += ` "` + arg + `"` // a number, a size or a duration: there is nothing to quote in it
	}
	begin := "\n\t" + step + " {\n"
	if !strings.Contains(chain, begin) {
		chain = strings.Replace(chain, "\n\t"+step+"\n", begin+"\t}\n", 1)
	}
	return strings.Replace(chain, begin, begin+line+"\n", 1)
}

// given are the tokens of an option whose arguments were read already.
type given struct {
	*caddyfile.Dispenser
	args []string
}

func (g given) RemainingArgs() []string { return g.args }

// subroute parses Caddyfile text as the block of a directive.
func subroute(h httpcaddyfile.Helper, directive, text string) (*caddyhttp.Subroute, error) {
	tokens, err := caddyfile.Tokenize([]byte(directive+" {\n"+text+"\n}\n"), directive)
	if err != nil {
		return nil, fmt.Errorf("reading the chain of %s: %w", directive, err)
	}
	handler, err := httpcaddyfile.ParseSegmentAsSubroute(h.WithDispenser(caddyfile.NewDispenser(tokens)))
	if err != nil {
		return nil, fmt.Errorf("parsing the chain of %s: %w", directive, err)
	}
	parsed, ok := handler.(*caddyhttp.Subroute)
	if !ok {
		return nil, h.Errf("the chain of %s is not a subroute", directive)
	}
	return parsed, nil
}

package caddymodule

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"
)

// parseAuth sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_auth {
//	    rate        <per second> [<burst>] | off
//	    failed_rate <per second> [<burst>] | off
//	}
func parseAuth(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	a := new(Auth)
	return a, options(h.Dispenser, map[string]func(*caddyfile.Dispenser) error{
		"rate":        func(d *caddyfile.Dispenser) error { return rateLimit(d, &a.Rate) },
		"failed_rate": func(d *caddyfile.Dispenser) error { return rateLimit(d, &a.FailedRate) },
	})
}

// parseAccess sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_access {
//	    max_body <size>
//	}
func parseAccess(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	a := new(Access)
	return a, options(h.Dispenser, map[string]func(*caddyfile.Dispenser) error{
		"max_body": func(d *caddyfile.Dispenser) error {
			var s string
			if err := one(d, &s); err != nil {
				return err
			}
			n, err := humanize.ParseBytes(s)
			if err != nil || n == 0 || n > 1<<40 {
				return d.Errf("svc_access: max_body: %q is not a size like 8MiB", s)
			}
			a.MaxBody = int64(n)
			return nil
		},
	})
}

// parseProjects sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_projects
func parseProjects(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	return new(Projects), noOptions(h.Dispenser)
}

// parseEngine sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_engine {
//	    hold <duration>
//	}
func parseEngine(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	e := new(Engine)
	return e, options(h.Dispenser, map[string]func(*caddyfile.Dispenser) error{
		"hold": func(d *caddyfile.Dispenser) error { return duration(d, &e.Hold) },
	})
}

// parseQuota sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_quota {
//	    timeout  <duration>
//	    deadline <duration>
//	}
func parseQuota(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	q := new(Quota)
	return q, options(h.Dispenser, map[string]func(*caddyfile.Dispenser) error{
		"timeout":  func(d *caddyfile.Dispenser) error { return duration(d, &q.Timeout) },
		"deadline": func(d *caddyfile.Dispenser) error { return duration(d, &q.Deadline) },
	})
}

// parseErrorRenderer sets up the handler from Caddyfile tokens. Syntax:
//
//	svc_error
func parseErrorRenderer(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	return new(ErrorRenderer), noOptions(h.Dispenser)
}

// options reads a directive without arguments whose block holds each of the
// given options at most once.
func options(d *caddyfile.Dispenser, known map[string]func(*caddyfile.Dispenser) error) error {
	d.Next() // the directive's name
	directive := d.Val()
	if d.NextArg() {
		return d.Errf("%s takes no arguments, got %q", directive, d.Val())
	}
	seen := make(map[string]bool, len(known))
	for d.NextBlock(0) {
		name := d.Val()
		read, ok := known[name]
		if !ok {
			return unknownOption(d, directive, names(known))
		}
		if seen[name] {
			return d.Errf("%s: %s is given twice", directive, name)
		}
		seen[name] = true
		if err := read(d); err != nil {
			return err
		}
	}
	return nil
}

func noOptions(d *caddyfile.Dispenser) error { return options(d, nil) }

func unknownOption(d *caddyfile.Dispenser, directive, allowed string) error {
	return d.Errf("%s has no option %q; it has: %s", directive, d.Val(), allowed)
}

// one reads exactly one argument of the option under the cursor.
func one(d *caddyfile.Dispenser, dst *string) error {
	name := d.Val()
	args := d.RemainingArgs()
	if len(args) != 1 || args[0] == "" {
		return d.Errf("%s takes one argument, got %d", name, len(args))
	}
	*dst = args[0]
	return nil
}

func duration(d *caddyfile.Dispenser, dst *caddy.Duration) error {
	name := d.Val()
	var s string
	if err := one(d, &s); err != nil {
		return err
	}
	value, err := caddy.ParseDuration(s)
	if err != nil || value <= 0 {
		return d.Errf("%s: %q is not a duration like 30s", name, s)
	}
	*dst = caddy.Duration(value)
	return nil
}

// number reads a number of at least 1, an option of what is named.
func number(d *caddyfile.Dispenser, of string, dst *int) error {
	name := d.Val()
	var s string
	if err := one(d, &s); err != nil {
		return err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return d.Errf("%s: %s: %q is not a number of at least 1", of, name, s)
	}
	*dst = n
	return nil
}

// rateLimit reads a rate and, where it is given, a burst.
func rateLimit(d *caddyfile.Dispenser, dst **RateLimit) error {
	name := d.Val()
	args := d.RemainingArgs()
	limit := new(RateLimit)
	*dst = limit
	if len(args) == 1 && args[0] == "off" {
		return nil
	}
	if len(args) < 1 || len(args) > 2 {
		return d.Errf("%s takes requests a second and a burst, or \"off\"; got %d arguments", name, len(args))
	}
	for i, dst := range []*int{&limit.PerSecond, &limit.Burst}[:len(args)] {
		n, err := strconv.Atoi(args[i])
		if err != nil || n < 1 || n > maxRate {
			return d.Errf("%s: %q is not a number from 1 to %d", name, args[i], maxRate)
		}
		*dst = n
	}
	return nil
}

func names(known map[string]func(*caddyfile.Dispenser) error) string {
	if len(known) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(known)), ", ")
}

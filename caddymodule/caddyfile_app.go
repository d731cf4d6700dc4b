package caddymodule

import (
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/svc-games/svc/api"
)

// parseApp sets up the app from the global option. Syntax:
//
//	svc {
//	    data_dir    <path>
//	    retry_after <duration>
//	    store       sqlite|<postgres URL>
//	    prices      <file>
//	    prices {
//	        <unit>  <TIK>
//	    }
//	    policy      embedded|<directory>|<bundle>|<address> {
//	        key      <file>
//	        unsigned
//	        poll     <duration>
//	    }
//	    decision_log off|best_effort|required {
//	        path     <file>
//	        max_size <size>
//	        keep     <files>
//	        queue    <records>
//	        sample   <share>
//	    }
//	    max_projects <number>
//	    max_queued   <number>
//	    redis       <url>|off
//	    cors        <origins...>|*
//	    max_streams_per_key <number>
//	    max_streams <number>
//	    expose_rule
//	    sidecar     embedded|<address> {
//	        tls              <cert> <key> <ca> [<server name>]
//	        decision_timeout <duration>
//	    }
//	    engines     <address> {
//	        tls           <cert> <key> <ca> [<server name>]
//	    }
//	    engines     embedded {
//	        driver        process|docker|kubernetes {
//	            ...
//	        }
//	        command       <path>
//	        frameworks    <path>
//	        idle          <duration>
//	        retain        <duration>
//	        max_engines   <number>
//	        max_per_owner <number>
//	        stop_on_exit  idle|all|none
//	        allow_weak_isolation
//	        egress        <file>
//	        egress {
//	            ...
//	        }
//	    }
//	}
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		return nil, d.Err("the global option svc is given twice")
	}
	app := new(App)
	side, engines := map[string]any{"form": embeddedForm}, map[string]any{"form": embeddedForm}
	d.Next() // the option's name
	if d.NextArg() {
		return nil, d.Errf("svc takes no arguments, got %q", d.Val())
	}
	seen := make(map[string]bool)
	for d.NextBlock(0) {
		name := d.Val()
		if seen[name] {
			return nil, d.Errf("svc: %s is given twice", name)
		}
		seen[name] = true
		switch name {
		case "data_dir":
			if err := one(d, &app.DataDir); err != nil {
				return nil, err
			}
		case "retry_after":
			if err := duration(d, &app.RetryAfter); err != nil {
				return nil, err
			}
		case "store":
			var store string
			if err := one(d, &store); err != nil {
				return nil, err
			}
			side["store"] = store
		case "prices":
			if err := parsePrices(d, side); err != nil {
				return nil, err
			}
		case "policy":
			if err := parsePolicy(d, side); err != nil {
				return nil, err
			}
		case "decision_log":
			if err := parseDecisionLog(d, side); err != nil {
				return nil, err
			}
		case "max_projects", "max_queued":
			var n int
			if err := number(d, "svc", &n); err != nil {
				return nil, err
			}
			side[name] = n
		case "redis":
			if err := one(d, &app.Redis); err != nil {
				return nil, err
			}
		case "cors":
			if app.CORS = d.RemainingArgs(); len(app.CORS) == 0 {
				return nil, d.Err("svc: cors takes the origins that may read the API, or *")
			}
		case "max_streams_per_key":
			if err := streamBound(d, &app.MaxStreamsPerKey); err != nil {
				return nil, err
			}
		case "max_streams":
			if err := streamBound(d, &app.MaxStreams); err != nil {
				return nil, err
			}
		case "expose_rule":
			if d.NextArg() {
				return nil, d.Errf("svc: expose_rule takes no argument, got %q", d.Val())
			}
			app.ExposeRule = true
		case "sidecar":
			if err := parseSidecar(d, side); err != nil {
				return nil, err
			}
		case "engines":
			if err := parseEngines(d, engines); err != nil {
				return nil, err
			}
		default:
			return nil, unknownOption(d, "svc", "cors, data_dir, decision_log, engines, expose_rule, max_projects, max_queued, max_streams, max_streams_per_key, policy, prices, redis, retry_after, sidecar, store")
		}
	}
	for _, name := range []string{"store", "prices", "max_projects", "max_queued"} {
		if remote(side) && seen[name] {
			return nil, d.Errf("svc: %s belongs to the sidecar: give it to svc-sidecar at %s", name, side["address"])
		}
	}
	app.SidecarRaw, app.EnginesRaw = caddyconfig.JSON(side, nil), caddyconfig.JSON(engines, nil)
	return httpcaddyfile.App{Name: "svc", Value: caddyconfig.JSON(app, nil)}, nil
}

// streamBound reads how many event streams may be open.
func streamBound(d *caddyfile.Dispenser, dst *int) error {
	name := d.Val()
	var text string
	if err := one(d, &text); err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostStreams {
		return d.Errf("svc: %s: %q is not a number from 1 to %d", name, text, mostStreams)
	}
	*dst = n
	return nil
}

// parseSidecar reads where the sidecar runs and how to reach it. The options
// of the sidecar itself belong to the process that it runs in.
func parseSidecar(d *caddyfile.Dispenser, options map[string]any) error {
	if err := form(d, options); err != nil {
		return err
	}
	for d.NextBlock(1) {
		if !remote(options) {
			return unknownOption(d, "svc: sidecar embedded", "none")
		}
		name := d.Val()
		known, err := parsePeerOption(d, "sidecar", options)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		if name != "decision_timeout" {
			return unknownOption(d, "svc: sidecar", "decision_timeout, tls")
		}
		if _, twice := options[name]; twice {
			return d.Errf("svc: sidecar: %s is given twice", name)
		}
		var timeout caddy.Duration
		if err := duration(d, &timeout); err != nil {
			return err
		}
		options[name] = timeout
	}
	return nil
}

// parsePrices reads a price list, or the name of the file that holds it. The
// backend checks the list as a whole.
func parsePrices(d *caddyfile.Dispenser, backend map[string]any) error {
	if d.CountRemainingArgs() > 0 {
		var file string
		if err := one(d, &file); err != nil {
			return err
		}
		if d.NextBlock(1) {
			return d.Err("svc: prices takes a file or a block, not both")
		}
		backend["prices_file"] = file
		return nil
	}
	list := make(map[string]api.TIK)
	for d.NextBlock(1) {
		unit := d.Val()
		if _, twice := list[unit]; twice {
			return d.Errf("svc: prices: %s is given twice", unit)
		}
		var text string
		if err := one(d, &text); err != nil {
			return err
		}
		var price api.TIK // a negative one is the backend's to refuse
		if err := price.UnmarshalJSON([]byte(text)); err != nil {
			return d.Errf("svc: prices: %s: %v", unit, err)
		}
		list[unit] = price
	}
	if len(list) == 0 {
		return d.Err("svc: prices takes a file, or a block with the price of each unit")
	}
	backend["prices"] = list
	return nil
}

// parseRemoteEngines reads how an engine proxy in another process is reached.
// How it runs engines is told to that process.
func parseRemoteEngines(d *caddyfile.Dispenser, backend map[string]any) error {
	for d.NextBlock(1) {
		known, err := parsePeerOption(d, "engines", backend)
		if err != nil {
			return err
		}
		if !known {
			return d.Errf("svc: engines has no option %q; it has: tls. Options of the engine proxy belong to svc-engine-proxy", d.Val())
		}
	}
	return nil
}

// parseEngines reads where engines are looked after, and how.
func parseEngines(d *caddyfile.Dispenser, backend map[string]any) error {
	if err := form(d, backend); err != nil {
		return err
	}
	if remote(backend) {
		return parseRemoteEngines(d, backend)
	}
	for d.NextBlock(1) {
		name := d.Val()
		_, twice := backend[name]
		if name == "egress" && backend["egress_file"] != nil || twice {
			return d.Errf("svc: engines: %s is given twice", name)
		}
		switch name {
		case "driver":
			if err := parseDriver(d, backend); err != nil {
				return err
			}
		case "egress":
			if err := parseEgress(d, backend); err != nil {
				return err
			}
		case "command", "frameworks", "stop_on_exit":
			var value string
			if err := one(d, &value); err != nil {
				return err
			}
			backend[name] = value
		case "allow_weak_isolation":
			if d.NextArg() {
				return d.Errf("svc: engines: %s takes no argument, got %q", name, d.Val())
			}
			backend[name] = true
		case "idle", "retain":
			var value caddy.Duration
			if err := duration(d, &value); err != nil {
				return err
			}
			backend[name] = value
		case "max_engines", "max_per_owner":
			var n int
			if err := number(d, "svc: engines", &n); err != nil {
				return err
			}
			backend[name] = n
		default:
			return unknownOption(d, "svc: engines", "allow_weak_isolation, command, driver, egress, frameworks, idle, max_engines, max_per_owner, retain, stop_on_exit")
		}
	}
	return nil
}

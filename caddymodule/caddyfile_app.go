package caddymodule

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/svc-games/svc/block"
)

// The forms of sidecar and engine proxy: in this process, and in another one.
const (
	embeddedForm = "embedded"
	remoteForm   = "remote"
)

// parseApp sets up the app from the global option. The options of a sidecar in
// this process stand beside the app's own.
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		return nil, d.Err("the global option svc is given twice")
	}
	app, side, engines := new(App), newPart("sidecar"), newPart("engines")
	options := app.options(side.read(d), engines.read(d))
	var own Configurable
	var given []string
	if info, err := caddy.GetModule(side.id()); err == nil { // a build may be without it
		own = info.New().(Configurable)
		for _, o := range own.Caddyfile() {
			read := o.Read
			o.Read = func(c *block.Cursor) error {
				given = append(given, o.Name)
				return read(c)
			}
			options = append(options, o)
		}
	}
	if err := block.Directive(d, options); err != nil {
		return nil, err
	}
	switch {
	case side.form == embeddedForm && own != nil:
		side.module = own
	case len(given) > 0:
		return nil, d.Errf("svc: %s belongs to the sidecar: give it to svc-sidecar at %s", given[0], side.address)
	}
	var err error
	if app.SidecarRaw, err = side.object(); err != nil {
		return nil, err
	}
	if app.EnginesRaw, err = engines.object(); err != nil {
		return nil, err
	}
	makeRunFolder(os.Args, app.DataDir)
	return httpcaddyfile.App{Name: "svc", Value: caddyconfig.JSON(app, nil)}, nil
}

// options are the app's in the Caddyfile; those of a sidecar in this process stand
// among them. Syntax:
//
//	svc {
//	    data_dir <path>
//	    retry_after <duration>
//	    redis <url>|off
//	    cors <origins...>|*
//	    max_streams_per_key <number>
//	    max_streams <number>
//	    expose_rule
//	    sidecar embedded|<address> {
//	        ...
//	    }
//	    engines embedded|<address> {
//	        ...
//	    }
//	}
func (a *App) options(sidecar, engines block.Reader) block.Options {
	return block.Options{
		{Name: "data_dir", Form: "<path>", Read: block.Text(&a.DataDir), Default: "`$SVC_DATA_DIR`, else `data`",
			Meaning: "database, projects, archive, sockets"},
		{Name: "retry_after", Form: "<duration>", Read: Duration(&a.RetryAfter), Default: "`30s`",
			Meaning: "how long a cold-start 503 asks the client to wait; at least `1s`"},
		{Name: "redis", Form: "<url>|off", Read: block.Text(&a.Redis), Default: "`$SVC_REDIS_URL`, else none",
			Meaning: "Redis server for rate limits that gateways share and, with a PostgreSQL store, for revocations to reach other gateways at once: " +
				"`redis://`, `rediss://` or `unix://`; `off` means none"},
		{Name: "cors", Form: "<origins...>|*", Read: block.List(&a.CORS, "the origins that may read the API, or *"), Default: "none",
			Meaning: "origins whose scripts may read the API; `*` is every origin. Never with credentials; keys belong on servers"},
		{Name: "max_streams_per_key", Form: "<number>", Read: block.Number(&a.MaxStreamsPerKey, mostStreams), Default: "`64`",
			Meaning: "how many event streams one key, or one user of the console, may have open at this gateway. " +
				"One more is answered 503 with `Retry-After: 5`, before an engine is asked"},
		{Name: "max_streams", Form: "<number>", Read: block.Number(&a.MaxStreams, mostStreams),
			Default: "half of the files that the process may have open; at most `10000`",
			Meaning: "the same for all keys together. The streams may be of as many jobs as a fourth of these files"},
		{Name: "expose_rule", Read: block.Flag(&a.ExposeRule), Default: "off",
			Meaning: "tell clients the policy's rule that decided, in the header `Svc-Policy-Rule` of every answer that the policy decided on; " +
				"the field `svc_rule` of the access log has it in any case"},
		{Name: "sidecar", Form: "embedded|<address>", Read: sidecar, Default: "`embedded`",
			Meaning: "where keys, ledger and policy are: in this process, or where `svc-sidecar` listens; see below"},
		{Name: "engines", Form: "embedded|<address>", Read: engines, Default: "`embedded`",
			Meaning: "where the engine proxy runs: in this process, or at the address of `svc-engine-proxy`, host:port or the path of a socket; see below. " +
				"The shipped Caddyfile takes it from `SVC_ENGINES`"},
	}
}

// part is the sidecar or the engine proxy as the Caddyfile places it.
type part struct {
	name, form, address string
	module              any // nil where the Caddyfile does not name the part
}

func newPart(name string) *part { return &part{name: name, form: embeddedForm} }

// id is that of the part's module.
func (p *part) id() string { return "svc." + p.name + "." + p.form }

// read reads where the part runs, and has its module read the block.
func (p *part) read(d *caddyfile.Dispenser) block.Reader {
	return func(c *block.Cursor) error {
		where, err := c.Arg()
		if err != nil {
			return err
		}
		if where != embeddedForm {
			p.form, p.address = remoteForm, where
		}
		p.module, err = caddyfile.UnmarshalModule(d, p.id())
		return err
	}
}

// object returns the part's configuration, with its form.
func (p *part) object() (json.RawMessage, error) {
	members := make(map[string]json.RawMessage)
	if p.module != nil {
		if err := json.Unmarshal(caddyconfig.JSON(p.module, nil), &members); err != nil {
			return nil, fmt.Errorf("writing the configuration of %s: %w", p.name, err)
		}
	}
	members["form"] = caddyconfig.JSON(p.form, nil)
	return caddyconfig.JSON(members, nil), nil
}

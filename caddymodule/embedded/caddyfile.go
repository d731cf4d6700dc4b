package embedded

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/host"
)

// Caddyfile implements caddymodule.Configurable: the options stand in the global
// option svc itself. Syntax:
//
//	svc {
//	    store sqlite|<postgres URL>
//	    prices <file>
//	    prices {
//	        <unit> <TIK>
//	    }
//	    policy embedded|<directory>|<bundle>|<address> {
//	        ...
//	    }
//	    decision_log off|best_effort|required {
//	        ...
//	    }
//	    max_projects <number>
//	    max_queued <number>
//	    webhook_networks <network...>
//	}
func (s *Sidecar) Caddyfile() block.Options {
	return block.Options{
		{Name: "store", Form: "sqlite|<postgres URL>", Read: block.Text(&s.Store), Default: "`$SVC_STORE`, else `sqlite`",
			Meaning: "where keys, projects, jobs and the ledger are: a file in `data_dir`, or a `postgres://` URL; write a password as `{env.NAME}`"},
		{Name: "prices", Form: "<file>", Read: s.readPrices, Default: "`$SVC_PRICES`, else `generator.job 1`",
			Meaning: "prices of the units that jobs are charged for; see below"},
		{Name: "policy", Form: "embedded|<directory>|<bundle>|<address>", Read: func(c *block.Cursor) error {
			s.Policy = new(Policy)
			return c.ArgAndBlock(&s.Policy.Source, s.Policy.Caddyfile())
		}, Default: "`$SVC_POLICY`, else `embedded`",
			Meaning: "where the policy comes from: `embedded` is part of the program; a directory; a bundle (`.tar.gz`); or its `http(s)` address. All but `embedded` are watched for changes"},
		{Name: "decision_log", Form: "off|best_effort|required", Read: func(c *block.Cursor) error {
			s.DecisionLog = new(DecisionLog)
			return c.ArgAndBlock(&s.DecisionLog.Mode, s.DecisionLog.Caddyfile())
		}, Default: "`$SVC_DECISION_LOG`, else `best_effort`",
			Meaning: "how decisions are recorded: with `best_effort`, those that can't be recorded are counted; with `required`, their requests are refused with 503"},
		{Name: "max_projects", Form: "<number>", Read: block.Count(&s.MaxProjects), Default: "`1000`",
			Meaning: "how many projects a user may have; one more is refused with 409"},
		{Name: "max_queued", Form: "<number>", Read: block.Count(&s.MaxQueued), Default: "`20`, which is as many as an engine takes",
			Meaning: "how many jobs of a project may wait; one more is refused with 503"},
		{Name: "webhook_networks", Form: "<network...>", Read: block.List(&s.WebhookNetworks, "networks like 10.1.0.0/16"), Default: "`$SVC_WEBHOOK_NETWORKS`, else none",
			Meaning: "private networks that webhooks may post to, also over `http`"},
	}
}

// UnmarshalCaddyfile refuses options where the sidecar is placed. Syntax:
//
//	sidecar embedded
func (*Sidecar) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	return block.At(d, "svc: sidecar embedded").Block(nil)
}

// readPrices reads a price list, or the name of the file that holds it. Validate
// checks the list as a whole.
func (s *Sidecar) readPrices(c *block.Cursor) error {
	return c.FileOr(&s.PricesFile, func() error {
		s.Prices = make(map[string]api.TIK)
		err := c.Each(func(unit string, at *block.Cursor) error {
			if _, twice := s.Prices[unit]; twice {
				return at.Errorf(" is given twice")
			}
			text, err := at.Arg()
			if err != nil {
				return err
			}
			var price api.TIK // a negative one is Validate's to refuse
			if err := price.UnmarshalJSON([]byte(text)); err != nil {
				return at.Errorf(": %v", err)
			}
			s.Prices[unit] = price
			return nil
		})
		if err == nil && len(s.Prices) == 0 {
			return c.Errorf(" takes a file, or a block with the price of each unit")
		}
		return err
	})
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	engines embedded {
//	    driver process|docker|kubernetes {
//	        ...
//	    }
//	    allow_weak_isolation
//	    command <path>
//	    frameworks <path>
//	    idle <duration>
//	    retain <duration>
//	    max_archive <size>
//	    max_engines <number>
//	    max_per_owner <number>
//	    stop_on_exit idle|all|none
//	    egress <file>
//	    egress {
//	        ...
//	    }
//	}
func (e *Engines) Caddyfile() block.Options {
	return block.Options{
		{Name: "driver", Form: "process|docker|kubernetes", Read: e.readDriver, Default: "`$SVC_ENGINE_DRIVER`, else `process`",
			Meaning: "how engines run: as processes of this machine, as containers of its Docker daemon, or as pods of a Kubernetes cluster; see below"},
		{Name: "allow_weak_isolation", Read: block.Flag(&e.AllowWeakIsolation), Default: "not set",
			Meaning: "run engines of several owners even where they can't be isolated from each other; without it, only one owner's engines run. " +
				"Any engine can then read and change what the others and the service keep"},
		{Name: "command", Form: "<path>", Read: block.Text(&e.Command), Default: "`svc-engine` beside the executable",
			Meaning: "the engine's program; with `docker` and `kubernetes`, an absolute path in the image instead of the image's own"},
		{Name: "frameworks", Form: "<path>", Read: block.Text(&e.Frameworks), Default: "`$SVC_FRAMEWORKS`, else `frameworks` beside the executable",
			Meaning: "the game frameworks; with `docker` and `kubernetes` they are in the image"},
		{Name: "idle", Form: "<duration>", Read: caddymodule.Duration(&e.Idle), Default: "`$SVC_ENGINE_IDLE`, else `10m`",
			Meaning: "how long an engine without work is kept; at least twice `retry_after`"},
		{Name: "retain", Form: "<duration>", Read: caddymodule.Duration(&e.Retain), Default: "`720h`",
			Meaning: "how long the record, events and files of an ended job are kept. Afterwards they are 404"},
		{Name: "max_archive", Form: "<size>", Read: block.Size(&e.MaxArchive), Default: "any",
			Meaning: "what the archive may take of the disk, looked at each hour: above it the jobs that ended first go earlier than `retain` says, " +
				"but none within an hour of its end, and none that is published"},
		{Name: "max_engines", Form: "<number>", Read: block.Count(&e.MaxEngines),
			Default: "as many as have 64 MiB each in three quarters of the memory, at least 32; with `kubernetes` 1,000",
			Meaning: "how many engines may run; when another one is needed, the one that has been idle longest, and for at least 30 s, is evicted. " +
				"When none is idle, submissions that need another one get 503"},
		{Name: "max_per_owner", Form: "<number>", Read: block.Count(&e.MaxPerOwner), Default: "`8`", Meaning: "the same for one owner"},
		{Name: "stop_on_exit", Form: "idle|all|none", Read: block.Text(&e.StopOnExit), Default: "`$SVC_STOP_ENGINES`, else `idle`",
			Meaning: "which engines a stop of the service stops"},
		{Name: "egress", Form: "<file>", Read: e.readEgress, Default: "`$SVC_EGRESS`, else none", Meaning: "which models engines may call; see below"},
	}
}

// UnmarshalCaddyfile reads the block.
func (e *Engines) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	return block.At(d, "svc: engines").Block(e.Caddyfile())
}

// readDriver reads the driver's name, and its options.
func (e *Engines) readDriver(c *block.Cursor) (err error) {
	if e.Driver, err = c.Arg(); err != nil {
		return err
	}
	c.Path += " " + e.Driver
	switch e.Driver {
	case process.Name:
		e.Process, err = readOptions(c, (*host.Process).Caddyfile)
	case docker.Name:
		e.Docker, err = readOptions(c, (*host.Docker).Caddyfile)
	case kubernetes.Name:
		e.Kubernetes, err = readOptions(c, (*host.Kubernetes).Caddyfile)
	default:
		err = c.Block(nil)
	}
	return err
}

// readOptions reads the options of a driver, nil for none.
func readOptions[T comparable](c *block.Cursor, of func(*T) block.Options) (*T, error) {
	var none T
	options := new(T)
	if err := c.Block(of(options)); err != nil || *options == none {
		return nil, err
	}
	return options, nil
}

// readEgress reads which models engines may call, or the file that says so.
func (e *Engines) readEgress(c *block.Cursor) error {
	return c.FileOr(&e.EgressFile, func() error {
		e.Egress = new(Egress)
		err := c.Block(e.Egress.Caddyfile())
		if err == nil && len(e.Egress.Endpoints) == 0 {
			return c.Errorf(" takes a file, or a block with at least one endpoint")
		}
		return err
	})
}

// Interface guards
var (
	_ caddymodule.Configurable = (*Sidecar)(nil)
	_ caddymodule.Configurable = (*Engines)(nil)
	_ caddyfile.Unmarshaler    = (*Sidecar)(nil)
	_ caddyfile.Unmarshaler    = (*Engines)(nil)
)

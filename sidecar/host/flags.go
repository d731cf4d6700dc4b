package host

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/service"
)

// logOff as the mode of the decision log means none.
const logOff = "off"

// Flags are the command line of svc-sidecar.
type Flags struct {
	Options // but for what is read from files, or made

	PricesFile          string
	LogMode             string // of the decision log, or off
	LogLevel, LogFormat string
}

// ParseFlags reads the command line args and the environment. When args ask
// for help it is written to stderr, and the error is flag.ErrHelp.
func ParseFlags(args []string, getenv func(string) string, stderr io.Writer) (Flags, error) {
	o := Flags{Options: Options{Listen: Standard(), OPA: Standard(), Admin: Standard()}}
	f := cli.New("svc-sidecar", getenv)
	f.String(&o.DataDir, "data-dir", "SVC_DATA_DIR", "data", "`folder` of the database, kept policies, the decision log and the sockets")
	f.String(&o.Store, "store", "SVC_STORE", "sqlite", "where keys and the ledger are: sqlite, or a postgres:// `URL`; one with a password belongs in the variable")
	f.String(&o.Redis, "redis", "SVC_REDIS_URL", "", "`URL` of the Redis through which sidecars with one PostgreSQL tell each other of revocations at once (default: none); one with a password belongs in the variable")
	f.String(&o.PricesFile, "prices", "SVC_PRICES", "", "`file` of the price list (default: one TIK for a job of the embedded generator)")
	f.String(&o.Policy.Source, "policy", "SVC_POLICY", activation.Embedded, "the policy: embedded, a folder, a bundle's file or its `address`")
	f.String(&o.Policy.KeyFile, "policy-key", "SVC_POLICY_KEY", "", "`file` of the keys that policies must be signed with")
	f.String(&o.Policy.Approvers, "policy-approvers", "SVC_POLICY_APPROVERS", "", "`file` of the keys of those who may approve a policy: each then waits in shadow until one who did not sign it agrees. Sidecars with one store have them in common; none takes them away from all")
	f.Number(&o.Policy.Threshold, "policy-threshold", "", "`number` of decisions of the last hour that a policy may change without an approval (default: 100)")
	f.Bool(&o.Policy.Unsigned, "policy-unsigned", "", "accept bundles without a look at their signature")
	f.String(&o.LogMode, "decision-log", "SVC_DECISION_LOG", string(decisionlog.BestEffort),
		"`mode` of the decision log: best_effort, required (no decision without its record) or off")
	f.Duration(&o.DecisionTimeout, "decision-timeout", "SVC_DECISION_TIMEOUT", 0, "`time` that a decision may take (default: 50ms)")
	f.Number(&o.Caps.MaxProjects, "max-projects", "", "`number` of projects that a user may have (default: 1000)")
	f.Number(&o.Caps.MaxQueued, "max-queued", "", "`number` of jobs of a project that may wait, 20 at most (default: 20)")
	f.List(&o.Caps.WebhookNetworks, "webhook-networks", "SVC_WEBHOOK_NETWORKS",
		"`networks` like 10.1.0.0/16, separated by commas, that are not public and to which webhooks may lead all the same")
	f.Address(&o.Listen, "listen", "SVC_SIDECAR_LISTEN", "`address` for gateways and engine proxies (default: "+Socket+" in the data directory)")
	f.Address(&o.OPA, "opa-listen", "SVC_OPA_LISTEN", "`address` of OPA's API, or off (default: "+OPASocket+" in the data directory)")
	f.Address(&o.Admin, "admin-listen", "SVC_ADMIN_LISTEN", "`address` for administrators, or off (default: admin.sock in the data directory)")
	f.Listeners(&o.TLS, &o.Names)
	f.List(&o.OPANames, "opa-names", "SVC_OPA_NAMES", "further `names` that a client's certificate may bear at --opa-listen alone: those of monitors")
	f.List(&o.AdminNames, "admin-names", "SVC_ADMIN_NAMES", "`names` that an administrator's certificate may bear at --admin-listen, where --tls-names does not count")
	f.Bool(&o.TakeOver, "take-over", "", "take the sockets from the svc-sidecar that runs, which then stops")
	f.String(&o.LogLevel, "log-level", "SVC_LOG_LEVEL", "info", "`level`: debug, info, warn or error")
	f.String(&o.LogFormat, "log-format", "SVC_LOG_FORMAT", "console", "`format`: console or json")
	if err := f.Parse(args, stderr); err != nil {
		return Flags{}, err
	}
	if o.Listen == nil {
		return Flags{}, errors.New("--listen can't be off: nobody could use the sidecar")
	}
	if err := errors.Join(cli.CheckListener("--listen", o.Listen, o.TLS, "--tls-names", o.Names),
		cli.CheckListener("--opa-listen", o.OPA, o.TLS, "--opa-names", o.opaNames()),
		cli.CheckListener("--admin-listen", o.Admin, o.TLS, "--admin-names", o.AdminNames)); err != nil {
		return Flags{}, err
	}
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return Flags{}, fmt.Errorf("resolving --data-dir: %w", err)
	}
	o.DataDir = dir
	if err := o.Caps.Validate(); err != nil {
		return Flags{}, err
	}
	if err := o.Policy.Validate(); err != nil {
		return Flags{}, err
	}
	if log := o.decisionLog(nil); log != nil {
		if err := log.Validate(); err != nil {
			return Flags{}, err
		}
	}
	return o, nil
}

// options returns the options of what runs in the process.
func (o Flags) options(logger *zap.Logger) (Options, error) {
	metrics, serviceMetrics := activation.NewMetrics(), service.NewMetrics()
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.Collectors()...)
	registry.MustRegister(serviceMetrics.Collectors()...)
	certificates := new(peer.Certificates)
	certificates.Use("listeners", o.TLS)
	registry.MustRegister(certificates)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	log := o.decisionLog(logger.Named("decisions"))
	if log != nil {
		log.Counters = metrics.Log()
	}
	h := o.Options
	h.Policy.Metrics, h.DecisionLog, h.Metrics, h.Logger = metrics, log, registry, logger
	h.ServiceMetrics = serviceMetrics
	if o.PricesFile != "" {
		prices, err := ledger.ReadPrices(o.PricesFile)
		if err == nil {
			err = ledger.CheckPrices(prices, ledger.DefaultUnits())
		}
		if err != nil {
			return Options{}, err
		}
		h.Prices = prices
	}
	return h, nil
}

// decisionLog returns nil for no log.
func (o Flags) decisionLog(logger *zap.Logger) *decisionlog.Options {
	if o.LogMode == logOff {
		return nil
	}
	return &decisionlog.Options{
		Path: filepath.Join(o.DataDir, decisionlog.FileName), Mode: decisionlog.Mode(o.LogMode), Sample: 1, Logger: logger,
	}
}

package embedded

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/service"
)

// logOff as the mode of the decision log means none.
const logOff = "off"

// Metrics belong to the process: every configuration registers them.
var (
	engineMetrics = host.NewMetrics() // of engines and their calls to models
	policyMetrics = activation.NewMetrics()
	storeMetrics  = service.NewMetrics()
)

// Policy holds the options of the policy. They take effect when the service
// starts.
type Policy struct {
	// The file with the public keys of those who may approve a policy. Each then
	// waits in shadow until one of them who did not sign it agrees. Needs key.
	// Sidecars with one store have in common those that one was started with last;
	// "none" takes them away from all. Default: $SVC_POLICY_APPROVERS, else those
	// of the others.
	Approvers string `json:"approvers,omitempty"`

	// The file with the public keys, or the shared secret, that policies must be
	// signed with. A bundle needs it; a directory must be signed only where it
	// is given. Default: $SVC_POLICY_KEY, else none.
	Key string `json:"key,omitempty"`

	// How often the source is looked at. Default: 1s, for an address 30s.
	Poll caddy.Duration `json:"poll,omitempty"`

	// Where the policy comes from: "embedded" for the one that is part of the
	// program, a directory, a bundle's file (.tar.gz), or its http or https
	// address. All but the first are watched, and what is new is activated once
	// it passed every step. Default: $SVC_POLICY, else embedded.
	Source string `json:"source,omitempty"`

	// How many of the decisions of the last hour a policy may change; one that
	// changes more waits in shadow for an approval. Default: 100.
	Threshold int `json:"threshold,omitempty"`

	// Accept policies without a look at their signature. Whoever can write to
	// the source then decides who may do what. Default: false.
	Unsigned bool `json:"unsigned,omitempty"`
}

// DecisionLog holds the options of the decision log. They take effect when the
// service starts.
type DecisionLog struct {
	// How many renamed files are kept. Default: 4.
	Keep int `json:"keep,omitempty"`

	// How large the file may be, in bytes, before it is renamed. Default:
	// 32 MiB.
	MaxSize int64 `json:"max_size,omitempty"`

	// What happens to decisions that can't be recorded: with best_effort they
	// are counted, with required the request is refused with 503; off records
	// none. Default: $SVC_DECISION_LOG, else best_effort.
	Mode string `json:"mode,omitempty"`

	// The log's file. Default: decisions.jsonl in the data directory.
	Path string `json:"path,omitempty"`

	// How many records may wait to be written. Default: 4096.
	Queue int `json:"queue,omitempty"`

	// The share of allowed requests that are recorded, from 0 to 1; refusals
	// always are. Default: 1.
	Sample *float64 `json:"sample,omitempty"`
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	policy embedded|<directory>|<bundle>|<address> {
//	    key      <file>
//	    unsigned
//	    poll     <duration>
//	    approvers <file>
//	    threshold <decisions>
//	}
func (p *Policy) Caddyfile() block.Options {
	return block.Options{
		{Name: "key", Form: "<file>", Read: block.Text(&p.Key), Default: "`$SVC_POLICY_KEY`, else none",
			Meaning: "the public keys, or the shared secret, that policies must be signed with. A bundle needs it; a directory must be signed only where it is given. It is read again when it changes"},
		{Name: "unsigned", Read: block.Flag(&p.Unsigned), Default: "not set",
			Meaning: "accept bundles without checking their signature; the log warns at each start"},
		{Name: "poll", Form: "<duration>", Read: caddymodule.Duration(&p.Poll), Default: "`1s`, an address `30s`", Meaning: "how often the source is checked for changes"},
		{Name: "approvers", Form: "<file>", Read: block.Text(&p.Approvers), Default: "`$SVC_POLICY_APPROVERS`, else none",
			Meaning: "the public keys of those who may approve a policy: each then waits in shadow until one of them who did not sign it agrees. Needs `key`, and is read again when it changes. Sidecars with one store have in common those that one was started with, or read, last; `none` takes them away from all"},
		{Name: "threshold", Form: "<decisions>", Read: block.Count(&p.Threshold), Default: "`100`",
			Meaning: "how many of the decisions of the last hour a policy may change; one that changes more waits in shadow for an approval. What `source` holds may also change ten times as many of the table of `svc policy diff`"},
	}
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	decision_log off|best_effort|required {
//	    path     <file>
//	    max_size <size>
//	    keep     <files>
//	    queue    <records>
//	    sample   <share>
//	}
func (l *DecisionLog) Caddyfile() block.Options {
	return block.Options{
		{Name: "path", Form: "<file>", Read: block.Text(&l.Path), Default: "`decisions.jsonl` in `data_dir`", Meaning: "the file"},
		{Name: "max_size", Form: "<size>", Read: block.Size(&l.MaxSize), Default: "`32MiB`",
			Meaning: "how large the file may grow before it is renamed to `….1`"},
		{Name: "keep", Form: "<files>", Read: block.Count(&l.Keep), Default: "`4`", Meaning: "how many renamed files are kept"},
		{Name: "queue", Form: "<records>", Read: block.Count(&l.Queue), Default: "`4096`", Meaning: "how many records may wait to be written"},
		{Name: "sample", Form: "<share>", Read: block.Share(&l.Sample), Default: "`1`",
			Meaning: "the share of allowed requests that is recorded; refusals always are"},
	}
}

// provisionPolicy sets defaults, and registers the metrics.
func (s *Sidecar) provisionPolicy(ctx caddy.Context) error {
	if s.Policy == nil {
		s.Policy = new(Policy)
	}
	if s.DecisionLog == nil {
		s.DecisionLog = new(DecisionLog)
	}
	s.Policy.Source = cmp.Or(s.Policy.Source, os.Getenv("SVC_POLICY"), activation.Embedded)
	if !s.Policy.Unsigned {
		s.Policy.Key = cmp.Or(s.Policy.Key, os.Getenv("SVC_POLICY_KEY"))
		s.Policy.Approvers = cmp.Or(s.Policy.Approvers, os.Getenv("SVC_POLICY_APPROVERS"))
	}
	s.DecisionLog.Mode = cmp.Or(s.DecisionLog.Mode, os.Getenv("SVC_DECISION_LOG"), string(decisionlog.BestEffort))
	return caddymodule.RegisterMetrics(ctx, append(policyMetrics.Collectors(), storeMetrics.Collectors()...)...)
}

// validatePolicy checks the options without touching a file.
func (s *Sidecar) validatePolicy() error {
	if err := s.Policy.options().Validate(); err != nil {
		return err
	}
	if log := s.DecisionLog.options("", nil); log != nil {
		return log.Validate()
	}
	return nil
}

func (p *Policy) options() activation.Options {
	return activation.Options{
		Source: p.Source, KeyFile: p.Key, Unsigned: p.Unsigned, Poll: time.Duration(p.Poll),
		Approvers: p.Approvers, Threshold: p.Threshold,
		Metrics: policyMetrics,
	}
}

// options returns nil for no log.
func (l *DecisionLog) options(dataDir string, logger *zap.Logger) *decisionlog.Options {
	if l.Mode == logOff {
		return nil
	}
	o := &decisionlog.Options{
		Path: cmp.Or(l.Path, filepath.Join(dataDir, decisionlog.FileName)), Mode: decisionlog.Mode(l.Mode),
		MaxBytes: l.MaxSize, Keep: l.Keep, Queue: l.Queue, Sample: 1, Logger: logger, Counters: policyMetrics.Log(),
	}
	if l.Sample != nil {
		o.Sample = *l.Sample
	}
	return o
}

// fixed returns the options that hold for as long as the sidecar runs.
func (s *Sidecar) fixed() any { return []any{s.Policy, s.DecisionLog, s.DecisionTimeout, s.Caps} }

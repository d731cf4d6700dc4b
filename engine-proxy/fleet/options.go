package fleet

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net/http"
	"runtime"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
)

// Options of New. DataDir, Driver and Ledger are required.
type Options struct {
	// DataDir holds projects/ (volumes), run/ (sockets and tokens), engines/
	// (journals and logs) and archive/.
	DataDir string
	Driver  driver.Driver
	Ledger  engineproxy.Ledger
	Egress  engineproxy.Egress // default: none, and no models
	Logger  *zap.Logger        // default: none
	Clock   clock.Clock        // default: the system's
	Metrics *Metrics           // default: a set that nobody reads
	// Serve makes the handler of state.SocketName; default: remote.NewOperatorHandler.
	// Gateways of this machine may be served there too.
	Serve func(e engineproxy.Engines) http.Handler
	// TakeOver takes SocketName from the engine proxy that listens there, and
	// waits until that one has ended. Without it Start fails while one works.
	TakeOver bool
	// IdleTTL is how long an engine without work is kept; default 10 minutes.
	IdleTTL time.Duration
	// MaxStarts is how many engines may start at once; default: the number of
	// cores, at least 2, and 16 when they run elsewhere. More would make all of
	// them slow.
	MaxStarts int
	// MaxEngines is how many engines there may be; default: as many as have
	// 64 MiB each in three quarters of the machine's memory, at least 32; 1,000
	// when they run elsewhere, where a quota says how many there may be. The one
	// that has been idle for longest goes when another is needed.
	MaxEngines int
	// MaxPerOwner is how many of them may be one owner's; default 8.
	MaxPerOwner int
	// AllowWeakIsolation runs engines of several owners even with a driver that
	// can't keep them apart.
	AllowWeakIsolation bool
	// Retain is how long the archive and the ledger keep what ended jobs left;
	// default 30 days.
	Retain time.Duration
	// MaxArchive is how many bytes the archive may take: of jobs that are neither
	// published nor unsettled those that ended first go earlier than Retain says, but
	// none within an hour. Default 0, no bound.
	MaxArchive int64
	Timing     Timing
}

// Timing holds the deadlines of the lifecycle; zero fields get their defaults.
type Timing struct {
	Queue     time.Duration // until a start's turn comes; default 120 s
	Create    time.Duration // until the instance exists; default 90 s
	Boot      time.Duration // from there until it is ready; default 60 s
	Start     time.Duration // both together; default 120 s
	Recover   time.Duration // until an engine found at start is ready; default 60 s
	Grace     time.Duration // after Start before an engine that was found is stopped without an order; default 2 minutes
	StopGrace time.Duration // between asking an engine to end and killing it; default 30 s
	Observe   time.Duration // between two looks at a ready engine; default 10 s
	Silence   time.Duration // without an answer before an engine that runs is stopped; default 60 s
	Claim     time.Duration // of work that the ledger knows nothing of, before the engine is stopped; default 1 hour
	Job       time.Duration // of work without the end of a job, before its engine is told to end it; default an hour
	JobGrace  time.Duration // from there until the job is ended without its engine; default 1 minute
	Evict     time.Duration // without work before an engine may go for another; default 30 s
	Reap      time.Duration // between two looks at all unfinished jobs; default 3 s
	Reconcile time.Duration // between two looks at everything the driver runs; default 30 s
	Sweep     time.Duration // between two looks for what is older than Retain, or over MaxArchive; default 1 hour
	Forget    time.Duration // between two looks for deletions that were interrupted; default 1 minute
	Replay    time.Duration // between two looks for runs of players that are to be played again; default 5 s
	Fence     time.Duration // how long Fence tries; default 2 s

	BackOff      time.Duration // after the first failed start; default 5 s, doubled by each further one
	BackOffMax   time.Duration // default 5 minutes
	BackOffReset time.Duration // ready for so long, an engine's failures are forgotten; default 10 minutes
	Failure      time.Duration // a failure that nobody asks about is forgotten after it; default 1 hour

	// LostAfter is how many starts in a row must fail, or how many ready
	// engines in a row end without a report, before the unfinished jobs of a
	// project are given up as engine_lost; default 5.
	LostAfter int
	// FatalGrace is how long unfinished jobs wait after a failure that no
	// further start can mend, before they are given up; default 10 minutes.
	FatalGrace time.Duration
}

// Defaults of Timing that depend on the driver.
const (
	DefaultCreate = 90 * time.Second
	DefaultStart  = 120 * time.Second
)

// Defaults for engines of other machines, which this one's cores and memory
// say nothing about.
const (
	startsElsewhere  = 16
	enginesElsewhere = 1000
)

func (o *Options) complete() error {
	if o.DataDir == "" || o.Driver == nil || o.Ledger == nil {
		return errors.New("engine proxy: data directory, driver and ledger are required")
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	o.Clock = cmp.Or[clock.Clock](o.Clock, clock.System{})
	o.Metrics = cmp.Or(o.Metrics, NewMetrics())
	orElse(&o.IdleTTL, 10*time.Minute)
	starts, engines := max(2, runtime.NumCPU()), enginesInMemory()
	if _, elsewhere := o.Driver.(driver.Remote); elsewhere {
		starts, engines = startsElsewhere, enginesElsewhere
	}
	orElse(&o.MaxStarts, starts)
	orElse(&o.MaxEngines, engines)
	orElse(&o.MaxPerOwner, 8)
	orElse(&o.Retain, 30*24*time.Hour)
	t := &o.Timing
	orElse(&t.Queue, 120*time.Second)
	orElse(&t.Create, DefaultCreate)
	orElse(&t.Boot, 60*time.Second)
	orElse(&t.Start, DefaultStart)
	orElse(&t.Recover, 60*time.Second)
	orElse(&t.Grace, 2*time.Minute)
	orElse(&t.StopGrace, 30*time.Second)
	orElse(&t.Observe, min(10*time.Second, o.IdleTTL/4))
	orElse(&t.Silence, 60*time.Second)
	orElse(&t.Claim, time.Hour)
	orElse(&t.Job, time.Hour)
	orElse(&t.JobGrace, time.Minute)
	orElse(&t.Evict, 30*time.Second)
	orElse(&t.Reap, 3*time.Second)
	orElse(&t.Reconcile, 30*time.Second)
	orElse(&t.Sweep, time.Hour)
	orElse(&t.Forget, time.Minute)
	orElse(&t.Replay, 5*time.Second)
	orElse(&t.Fence, 2*time.Second)
	orElse(&t.BackOff, 5*time.Second)
	orElse(&t.BackOffMax, 5*time.Minute)
	orElse(&t.BackOffReset, 10*time.Minute)
	orElse(&t.Failure, time.Hour)
	orElse(&t.LostAfter, 5)
	orElse(&t.FatalGrace, 10*time.Minute)
	return nil
}

// rules are the options that the machines go by.
func (o *Options) rules() lifecycle.Rules {
	t := o.Timing
	return lifecycle.Rules{
		Idle: o.IdleTTL, BackOff: t.BackOff, BackOffMax: t.BackOffMax, BackOffReset: t.BackOffReset,
		Retain: t.Failure, Silence: t.Silence, Claim: t.Claim, LostAfter: t.LostAfter, FatalGrace: t.FatalGrace,
		Spread: spread,
	}
}

// enginesInMemory is how many engines the machine's memory is enough for.
func enginesInMemory() int {
	const least, each = 32, 64 << 20
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return least
	}
	return max(least, int(uint64(info.Totalram)*uint64(info.Unit)*3/4/each))
}

// spread returns d ± 20 %.
func spread(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

func orElse[T int | time.Duration](v *T, standard T) {
	if *v <= 0 {
		*v = standard
	}
}

// Settings are those of the Options that may change while engines run; zero
// fields mean the defaults.
type Settings struct {
	IdleTTL     time.Duration
	MaxEngines  int
	MaxPerOwner int
	Retain      time.Duration
	MaxArchive  int64
}

// Apply changes the settings. Failures are forgotten: what kept an engine from
// starting may have been mended together with the configuration.
func (p *Proxy) Apply(s Settings) error {
	opts := p.opts
	opts.IdleTTL, opts.MaxEngines, opts.MaxPerOwner, opts.Retain, opts.MaxArchive = s.IdleTTL, s.MaxEngines, s.MaxPerOwner, s.Retain, s.MaxArchive
	if err := opts.complete(); err != nil {
		return err
	}
	rules := opts.rules()
	p.mu.Lock()
	p.rules = &rules
	p.mu.Unlock()
	p.bounds.Store(&settle.Bounds{Retain: opts.Retain, Most: opts.MaxArchive})
	p.admission.Resize(opts.MaxEngines, opts.MaxPerOwner)
	for _, a := range p.all() {
		a.post(a.stepping(func(m *lifecycle.Machine, now time.Time) {
			m.SetRules(&rules)
			m.Reset(now)
		}))
	}
	return nil
}

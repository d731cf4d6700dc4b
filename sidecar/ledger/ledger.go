// Package ledger admits submissions, follows the jobs they became and charges
// for them. A submission is one row in the store and moves by compare-and-set:
//
//	Reserve ─▶ reserved ─ Commit ─▶ active ─ ended ─▶ settled
//	              └ Release ─▶ released
//
// Each move is one transaction that also writes every counter the move
// touches, so that after a crash at any moment the counters say what the rows
// say. A reservation's deadline makes it overdue, never free: only the engine's
// word, or proof that it has none to give, resolves it.
package ledger

import (
	"cmp"
	"maps"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// DefaultDeadline is when a reservation becomes overdue.
	DefaultDeadline = 60 * time.Second
	// DefaultMaxQueued is how many jobs of a project may wait.
	DefaultMaxQueued = contract.MaxQueued
)

// Options of a Ledger.
type Options struct {
	Store *store.Store
	// Now is the clock that days, months and deadlines go by; nil means the
	// store's own, so that sidecars which share a store agree.
	Now    func() time.Time
	Logger *zap.Logger
	// Prices of units; nil means DefaultPrices.
	Prices map[string]api.TIK
	// Units that will be reported: each must have a price.
	Units []string
	// MaxQueued caps the jobs of a project that wait; 0 means DefaultMaxQueued.
	MaxQueued int64
	// AdmissionWait bounds how long a submission waits for its turn to be
	// written; 0 means DefaultAdmissionWait.
	AdmissionWait time.Duration
	// Metrics; nil means a set that nobody collects.
	Metrics *Metrics
}

// Ledger is safe for concurrent use.
type Ledger struct {
	store     *store.Store
	now       func() time.Time // nil: the store's
	logger    *zap.Logger
	prices    atomic.Pointer[prices]
	units     []string
	maxQueued int64
	wait      time.Duration // of a submission, for its turn to be written
	endings   endings
	changes   changes
	metrics   *Metrics
}

// New returns a ledger, or an error for a price list that can't be charged by.
func New(o Options) (*Ledger, error) {
	if o.Prices == nil {
		o.Prices = DefaultPrices()
	}
	o.Metrics = cmp.Or(o.Metrics, NewMetrics())
	l := &Ledger{
		store: o.Store, now: o.Now, logger: o.Logger, units: o.Units,
		maxQueued: cmp.Or(o.MaxQueued, DefaultMaxQueued), wait: cmp.Or(o.AdmissionWait, DefaultAdmissionWait), metrics: o.Metrics,
	}
	if err := l.SetPrices(o.Prices); err != nil {
		return nil, err
	}
	return l, nil
}

// SetPrices replaces the price list: it holds for what is charged from now on.
// One that can't be charged by is refused, and the old one stays.
func (l *Ledger) SetPrices(list map[string]api.TIK) error {
	p := prices(maps.Clone(list))
	if err := p.check(l.units); err != nil {
		return err
	}
	l.prices.Store(&p)
	return nil
}

// Package egress is the one way from an engine to a model. Each engine gets a
// Unix socket behind which the configured OpenAI-compatible endpoints stand;
// those of other machines share a listener with mutual TLS.
// The egress adds the credential, lets through what the configuration allows,
// counts what a call used, and asks the ledger before each call and charges
// after it. An engine needs neither network nor secret, and learns no address.
//
// What a call costs survives every crash: it is in a journal before it goes
// out, and one whose answer is not in the journal is charged at its limit.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/sampled"
)

// ErrUnpriced is returned, wrapped, by Start when something that is configured
// has no price.
var ErrUnpriced = errors.New("prices are missing")

// Options of New. Dir, Config and Ledger are required.
type Options struct {
	// Dir holds the journals. No engine may reach it.
	Dir    string
	Config Config
	Ledger contract.Calls
	Logger *zap.Logger // default: none
	// Metrics is a set of its own by default, that nobody reads.
	Metrics *Metrics
	Now     func() time.Time // default: time.Now; call ids are made from it
	// Listen is host:port at which engines of other machines are served, and
	// URL the https address they know it by; default for URL: Listen's. Both are
	// of use only when Start is told that there are such engines.
	Listen, URL string
	// Retry is the pause between attempts to charge while the ledger is away;
	// default 1 s.
	Retry time.Duration
}

// Egress serves the engines of all projects. It is safe for concurrent use.
type Egress struct {
	opts     Options
	provider *provider
	held     atomic.Pointer[configured]
	file     followed
	log      *zap.Logger

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex // guards what follows
	accounts map[string]*account
	served   map[string]entry // by project
	gate     *gate            // nil: no engine runs elsewhere
	priced   bool             // the ledger has a price for everything configured
}

// New prepares an egress. Start makes it work.
func New(opts Options) (*Egress, error) {
	if opts.Dir == "" || opts.Ledger == nil {
		return nil, errors.New("egress: directory and ledger are required")
	}
	opts.Logger = cmp.Or(opts.Logger, zap.NewNop())
	opts.Metrics = cmp.Or(opts.Metrics, NewMetrics())
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Retry = cmp.Or(max(opts.Retry, 0), time.Second)
	config := opts.Config.withDefaults()
	if err := config.Validate(); err != nil {
		return nil, err
	}
	e := &Egress{
		opts: opts, provider: newProvider(), log: opts.Logger,
		accounts: make(map[string]*account), served: make(map[string]entry),
	}
	e.held.Store(config.configured())
	if config.Record != "" {
		e.provider.recorder = &recorder{folder: config.Record, log: opts.Logger}
		opts.Logger.Warn("model calls are recorded, including what users wrote", zap.String("folder", config.Record))
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

// Start reads the journals and begins to charge the calls that an earlier
// egress could not; there must be no other on the same directory. It returns
// an error that is ErrUnpriced when something configured has no price. Without
// a ledger to ask it starts, and grants nothing until there is one; a project
// whose journal can't be read gets nothing either.
//
// Engines of other machines are served with what remote holds, unless it is
// nil: it must ask for a certificate.
func (e *Egress) Start(ctx context.Context, remote *tls.Config) error {
	if err := os.MkdirAll(e.opts.Dir, 0o700); err != nil {
		return fmt.Errorf("making egress directory: %w", err)
	}
	if err := e.recover(); err != nil {
		return err
	}
	err := e.check(ctx)
	if err != nil && !errors.Is(err, ErrUnpriced) {
		e.log.Warn("prices of models are not known yet", zap.Error(err))
		err = nil
	}
	if err != nil || remote == nil {
		return err
	}
	return e.openGate(remote)
}

// recover reads every journal, one after the other, for what is to be charged by
// them. Those that name nothing are closed again.
func (e *Egress) recover() error {
	projects, err := journals(e.opts.Dir)
	if err != nil {
		return err
	}
	for _, id := range projects {
		a, err := e.account(id)
		if err != nil {
			return err
		}
		e.release(a)
	}
	return nil
}

// check asks the ledger for a price of everything that is configured. It
// returns an error that is ErrUnpriced when one is missing.
func (e *Egress) check(ctx context.Context) error {
	e.mu.Lock()
	priced := e.priced
	e.mu.Unlock()
	if priced {
		return nil
	}
	holes, err := e.opts.Ledger.Unpriced(ctx, e.now().Units())
	if err != nil {
		return fmt.Errorf("asking for prices: %w", err)
	}
	if len(holes) > 0 {
		return fmt.Errorf("egress: %w: %s: add them to prices, with 0 if they are free", ErrUnpriced, strings.Join(holes, ", "))
	}
	e.mu.Lock()
	e.priced = true
	e.mu.Unlock()
	return nil
}

// Serve listens on a socket for the engine of a project, which shows token. It
// takes the place of what was served for the project before.
func (e *Egress) Serve(projectID, path, token string) error {
	return e.replace(projectID, token, func(a *account) (entry, error) { return e.listen(a, path, token) })
}

// Admit serves the engine of a project that runs on another machine, which
// shows the certificate of its instance and token, and returns the URL for it.
// It takes the place of what was served for the project before.
func (e *Egress) Admit(projectID, instanceID, token string) (string, error) {
	if e.gate == nil {
		return "", errors.New("egress: engines of other machines are not served")
	}
	return e.gate.url, e.replace(projectID, token, func(a *account) (entry, error) {
		return e.gate.admit(contract.EngineName(instanceID), newEngineHandler(a, token)), nil
	})
}

// replace puts what open returns, which serves a project's engine, in the place of
// what did before.
func (e *Egress) replace(projectID, token string, open func(a *account) (entry, error)) error {
	if token == "" {
		return errors.New("egress: the engine has no token")
	}
	a, err := e.account(projectID)
	if err != nil {
		return err
	}
	defer e.release(a)
	by, err := open(a)
	if err != nil {
		return err
	}
	e.mu.Lock()
	before := e.served[projectID]
	e.served[projectID] = by
	e.mu.Unlock()
	if before != nil {
		before.close()
	}
	return nil
}

// Stop ends the service for a project's engine. Calls under way are cut off.
func (e *Egress) Stop(projectID string) {
	e.mu.Lock()
	s := e.served[projectID]
	delete(e.served, projectID)
	e.mu.Unlock()
	if s != nil {
		s.close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retireLocked()
}

// EndJob charges all that a job has called for and lets it call no more, so that
// what the ledger knows of a job that has ended is all there is. Calls that are
// still under way have a second to end; they are charged at their limit then.
func (e *Egress) EndJob(ctx context.Context, projectID, jobID string) error {
	e.mu.Lock()
	a := e.accounts[projectID]
	if a != nil {
		a.holders++
	}
	e.mu.Unlock()
	if a == nil {
		return nil // it has not called lately, and owes nothing
	}
	defer e.release(a)
	if err := a.end(ctx, jobID); err != nil {
		return fmt.Errorf("charging what job %s called for: %w", jobID, err)
	}
	return nil
}

// Forget ends the service for a project and deletes its journal. What is not
// charged by then never is: of jobs that EndJob was told of, nothing.
func (e *Egress) Forget(projectID string) error {
	e.Stop(projectID)
	e.mu.Lock()
	a := e.accounts[projectID]
	delete(e.accounts, projectID)
	e.mu.Unlock()
	var err error
	if a != nil {
		err = a.journal.forget()
	}
	if gone := os.Remove(e.journalPath(projectID)); gone != nil && !os.IsNotExist(gone) {
		err = errors.Join(err, fmt.Errorf("deleting egress journal: %w", gone))
	}
	return err
}

// closeGrace is how long Close waits for calls under way.
const closeGrace = 10 * time.Second

// Close ends the service for all engines. Calls under way have 10 s to end, and
// no longer than ctx; the others are charged at their limit.
func (e *Egress) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	e.mu.Lock()
	open := slices.Collect(maps.Values(e.served))
	clear(e.served)
	e.mu.Unlock()
	var leaving sync.WaitGroup
	for _, s := range open {
		leaving.Go(func() { s.leave(ctx) })
	}
	leaving.Wait()
	if e.gate != nil {
		e.gate.close()
	}
	e.cancel()
	e.wg.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	for _, a := range e.accounts {
		err = errors.Join(err, a.journal.close())
	}
	clear(e.accounts)
	return err
}

// account returns a project's account, opening its journal if need be; release has
// to be called. One whose journal can't be read, or written on, lets no call out:
// one project's journal must not keep the others from working. It is looked at
// again for the project's next engine.
func (e *Egress) account(projectID string) (*account, error) {
	if !api.ValidProjectID(projectID) {
		return nil, errors.New("egress: malformed project id")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.accounts[projectID]; a != nil && a.damage == nil {
		a.holders++
		return a, nil
	}
	a := &account{egress: e, projectID: projectID, slots: make(chan struct{}, e.now().Concurrency), holders: 1}
	a.log = sampled.Logger(e.log).With(zap.String("project", projectID))
	var err error
	if a.journal, err = openJournal(e.journalPath(projectID)); err == nil {
		err = a.takeUp()
	}
	if err != nil {
		e.log.Error("the project is cut off from models until its journal can be read", zap.String("project", projectID), zap.Error(err))
		a.journal, a.damage = closedJournal(), err
	}
	e.accounts[projectID] = a
	return a, nil
}

// release gives an account back, and closes the journals of no further use.
func (e *Egress) release(a *account) {
	e.mu.Lock()
	defer e.mu.Unlock()
	a.holders--
	e.retireLocked()
}

// retireLocked drops the accounts that nobody needs, and so keeps as many journals
// open as there are engines, and projects that ended jobs in the last minutes.
func (e *Egress) retireLocked() {
	now := e.opts.Now()
	for id, a := range e.accounts {
		if e.served[id] != nil || a.holders > 0 || !a.idle(now) {
			continue
		}
		if err := a.journal.close(); err != nil {
			e.log.Warn("closing egress journal failed", zap.String("project", id), zap.Error(err))
		}
		delete(e.accounts, id)
	}
}

func (e *Egress) journalPath(projectID string) string { return journalPath(e.opts.Dir, projectID) }

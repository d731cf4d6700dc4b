// Package activation keeps the policy in force: immutable generations behind one
// pointer, each compiled and tested before its first decision. A policy comes from
// the program itself, a directory, a bundle or an admin; one that fails a step
// never becomes active, and the active one stays.
package activation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
)

// Defaults and bounds.
const (
	// DefaultPoll is how often a directory or file is looked at, DefaultFetch
	// how often an address is asked.
	DefaultPoll  = time.Second
	DefaultFetch = 30 * time.Second
	// Kept is how many generations can be rolled back to, the active one
	// included.
	Kept = 5
	// activationTimeout bounds all steps of one activation.
	activationTimeout = 5 * time.Minute
)

const (
	// ByService is who activates what the source holds.
	ByService = "service"
	// NoApprovers says in the place of the approvers' file that nobody's approval is needed
	// any more.
	NoApprovers = "none"
)

// Options of an Engine.
type Options struct {
	// Source is where the policy comes from: "" or "embedded" for the one that
	// is part of the program, a directory, a bundle's file (.tar.gz), or its
	// http or https address. All but the first are watched.
	Source string
	// KeyFile holds the public keys, or the shared secret, that policies must
	// be signed with. Bundles need it unless Unsigned is set; directories and
	// uploads need a signature only where it is given. It and Approvers are read again
	// when they change.
	KeyFile string
	// Unsigned accepts policies without looking at their signature.
	Unsigned bool
	// Approvers, where given, holds the public keys of those who may approve a policy:
	// then each must be signed, and approved by someone who did not sign it. A rollback
	// needs no approval. Sidecars with one store have them in common: where "" is given those
	// of the others count. NoApprovers takes them away from all.
	Approvers string
	// Threshold is how many recorded decisions of the last hour a policy may change; one
	// that changes more waits in shadow for an approval. 0 means DefaultThreshold. What the
	// source holds may also change ten times as many decisions of the table of svc policy
	// diff.
	Threshold int
	// Poll is how often the source is checked for changes; 0 means DefaultPoll, or
	// DefaultFetch for an address.
	Poll time.Duration
	// DataDir is the service's data directory; generations are kept in its
	// folder "policy", so that they can be rolled back to after a restart.
	DataDir string
	// Shared says that Share is called before the first decision: what is kept here and can't
	// be used is then taken from the others.
	Shared bool
	// Log records decisions; nil records none. Close closes it.
	Log *decisionlog.Log
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Logger and Metrics may be nil.
	Logger  *zap.Logger
	Metrics *Metrics

	// proof is testAndCheck, but for tests that activate the same files again and
	// again.
	proof func(context.Context, *policy.Evaluator, bundle.Snapshot) *Failure
	// changed is verify.Changed, but for tests of something else.
	changed func(ctx context.Context, from, to fs.FS) (cells int, whole bool, err error)
}

// Generation is one policy, prepared. It never changes.
type Generation struct {
	Info
	Evaluator *policy.Evaluator
}

// Info is what is known of a generation.
type Info struct {
	// Number counts activations; a generation that is rolled back to keeps its
	// own.
	Number int64 `json:"number"`
	// Revision names the rules: a hash of them, tests left out.
	Revision string `json:"revision"`
	// Digest names the files, tests and signature included.
	Digest string `json:"digest"`
	// Sequence is that of the manifest, 0 for none.
	Sequence int64 `json:"sequence,omitempty"`
	// Source names where it came from, for people.
	Source      string    `json:"source"`
	ActivatedAt time.Time `json:"activatedAt"`
	ActivatedBy string    `json:"activatedBy"`
	// Withdrawn is set when a rollback went behind it. A rollback without a name does
	// not lead to it any more.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// Held is why it waits in shadow; nil once it was active. ActivatedAt and ActivatedBy
	// are until then those of the proposal.
	Held *Held `json:"held,omitempty"`
	// ProposedBy is who activated what was then held; ActivatedBy approved it.
	ProposedBy string `json:"proposedBy,omitempty"`
	// Changes is how much it changed of the policy before when it became active; nil where
	// that was not counted. What waits has it in Held.
	Changes *Compared `json:"changes,omitempty"`
	// ProvenBy names the programs whose tests and table it passed: sidecars of the same do
	// not repeat them, which takes longer than a second. "" is the program's own, and those
	// of former versions.
	ProvenBy string `json:"provenBy,omitempty"`

	trust Trust
}

// chosen reports whether a person made it active, of files that are not a program's own.
func (g Info) chosen() bool { return g.Source != Embedded && g.ActivatedBy != ByService }

// Engine decides by the active generation. It is safe for concurrent use.
type Engine struct {
	o      Options
	source source
	kept   *keeper

	trusted atomic.Pointer[trusted]
	active  atomic.Pointer[Generation]
	shadow  atomic.Pointer[shadow]

	activating sync.Mutex // held by whoever changes the active generation or the shadow
	rehearsed  string     // digest of what waits and decides along; guarded by activating
	unshared   bool       // other sidecars don't know the approvers yet; guarded by activating

	weighing sync.Mutex // taken after activating where both are
	tried    tables     // the last; guarded by weighing

	mu       sync.Mutex // guards the following fields
	trouble  problem    // of the source
	behind   problem    // of following other sidecars
	onChange []func()
	sidecars []Sidecar // with the same store, this one among them
	// differSince is when others of them began to decide by another policy, zero while
	// none does.
	differSince time.Time

	// changed is set where the start activated what the source holds, resumed where
	// something was kept before.
	changed, resumed bool

	audit     Confirm // of what the service does by itself; guarded by activating, as is:
	unaudited []act   // until there is one

	stop   context.CancelFunc
	closed sync.WaitGroup
}

// Open reads the source, brings its policy or the last good one into force,
// and watches the source from then on. Without any good policy it returns an
// error.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	e := &Engine{o: o}
	trusted, err := o.readTrusted()
	if err != nil {
		return nil, err
	}
	e.trusted.Store(&trusted)
	if e.source, err = newSource(o.Source); err != nil {
		return nil, err
	}
	if e.source.trust() == Bundled && o.Unsigned {
		o.Logger.Warn("signatures of policies are not checked: whoever can write to the source decides who may do what",
			zap.String("source", o.Source))
	}
	if e.kept, err = openKeeper(filepath.Join(o.DataDir, KeptDir)); err != nil {
		return nil, err
	}
	w := &watcher{engine: e}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(context.Background())
	e.stop = stop
	if e.source.trust() != BuiltIn {
		e.closed.Go(func() { w.run(watching) })
	}
	if o.KeyFile != "" {
		e.closed.Go(func() { e.followTrusted(watching) })
	}
	return e, nil
}

// Validate checks the options without touching a file.
func (o Options) Validate() error {
	switch {
	case o.Unsigned && o.KeyFile != "":
		return errors.New("policy: a key and unsigned contradict each other; leave one of them out")
	case isBundle(o.Source) && o.KeyFile == "" && !o.Unsigned:
		return fmt.Errorf("policy: the bundle %s needs the key that checks its signature, or unsigned", o.Source)
	case o.Approvers != "" && o.Approvers != NoApprovers && o.KeyFile == "":
		return errors.New("policy: approvers need the key that policies are signed with: only a signature says who the first person was")
	case o.Threshold < 0:
		return fmt.Errorf("policy: threshold must be positive, is %d", o.Threshold)
	case o.Poll < 0:
		return fmt.Errorf("policy: poll must be positive, is %s", o.Poll)
	}
	return nil
}

func (o *Options) complete() error {
	if err := o.Validate(); err != nil {
		return err
	}
	if o.DataDir == "" {
		return errors.New("policy: no data directory is given")
	}
	o.Source = cmp.Or(o.Source, Embedded)
	o.Threshold = cmp.Or(o.Threshold, DefaultThreshold)
	if isAddress(o.Source) {
		o.Poll = cmp.Or(o.Poll, DefaultFetch)
	}
	o.Poll = cmp.Or(o.Poll, DefaultPoll)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	o.Metrics = cmp.Or(o.Metrics, NewMetrics())
	if o.proof == nil {
		o.proof = testAndCheck
	}
	if o.changed == nil {
		o.changed = verify.Changed
	}
	return nil
}

// Active returns the generation that decides.
func (e *Engine) Active() *Generation { return e.active.Load() }

// Revision names the rules in force.
func (e *Engine) Revision() string { return e.Active().Revision }

// OnChange has f called after each change of the active generation. It must
// not wait.
func (e *Engine) OnChange(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onChange = append(e.onChange, f)
}

// Close ends the watching and the shadow, and writes out and closes the
// decision log. The engine still decides.
func (e *Engine) Close() error {
	e.stop()
	e.closed.Wait()
	e.activating.Lock()
	e.replaceShadow(nil)
	e.activating.Unlock()
	if e.o.Log == nil {
		return nil
	}
	return e.o.Log.Close()
}

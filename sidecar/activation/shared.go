package activation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy/bundle"
)

const (
	// followEvery is how often a sidecar looks for what others activated, reportEvery how
	// often it says by what it decides.
	followEvery = 500 * time.Millisecond
	reportEvery = 5 * time.Second
	// joinAttempts is how often one that starts begins again when others changed the
	// policy meanwhile: several that are restarted at once do.
	joinAttempts = 10
	// maxSeen bounds what is remembered of a source.
	maxSeen = 20
)

// ErrMeanwhile is returned, wrapped, when somebody else changed the policy at the same time.
var ErrMeanwhile = errors.New("the policy was changed meanwhile: look at it, and try again")

// Shared is where sidecars with one store keep their policies together. Generations that
// are kept there are the same for all.
type Shared interface {
	// Version is that of the state, 0 before the first.
	Version(ctx context.Context) (int64, error)
	// Load returns the state with its version.
	Load(ctx context.Context) (version int64, state []byte, err error)
	// Save writes the state that follows version, and archives by digest. Those that
	// keep does not name are forgotten. It returns ErrMeanwhile when version is not that
	// of the state any more.
	Save(ctx context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error
	// Archive returns the files of a generation.
	Archive(ctx context.Context, digest string) ([]byte, error)
	// Report notes by which revision a sidecar decides, and returns what all that are
	// there do.
	Report(ctx context.Context, name, revision string) ([]Sidecar, error)
}

// Sidecar is one of those with the same store.
type Sidecar struct {
	Name     string    `json:"name"`
	Revision string    `json:"revision"`
	SeenAt   time.Time `json:"seenAt"`
}

// common is the part of a state that all sidecars have.
type common struct {
	Active      int64  `json:"active"`
	Last        int64  `json:"last"`
	Floor       int64  `json:"floor"`
	Generations []Info `json:"generations"`
	Waiting     *Info  `json:"waiting,omitempty"`
	// Seen has by source the digests that were activated from it, the last one last.
	Seen map[string][]string `json:"seen"`
}

// sharing is the keeper's way to what is shared.
type sharing struct {
	Shared
	name    string
	version int64
	seen    map[string][]string
}

// held is what a source held.
type held struct{ source, digest string }

// isLast reports whether that was activated last of all that the source held.
func (s *sharing) isLast(h held) bool {
	all := s.seen[h.source]
	return len(all) > 0 && all[len(all)-1] == h.digest
}

// saw returns what is seen with one more.
func (s *sharing) saw(h held) map[string][]string {
	seen := maps.Clone(s.seen)
	if seen == nil {
		seen = map[string][]string{}
	}
	if h.digest != "" {
		others := slices.DeleteFunc(slices.Clone(seen[h.source]), func(digest string) bool { return digest == h.digest })
		seen[h.source] = append(others[max(0, len(others)-maxSeen):], h.digest)
	}
	return seen
}

// save writes what is shared of the next state, with the archives that are new, and what
// a source held where that is activated.
func (s *sharing) save(next state, archives map[string][]byte, from held) error {
	seen := s.saw(from)
	text, err := json.Marshal(common{next.Active, next.Last, next.Floor, next.Generations, next.Waiting, seen})
	if err != nil {
		return fmt.Errorf("sharing the policies: %w", err)
	}
	keep := make([]string, 0, len(next.Generations))
	for _, g := range next.all() {
		keep = append(keep, g.Digest)
	}
	if err := s.Save(context.Background(), s.version, text, archives, keep); err != nil {
		return fmt.Errorf("sharing the policies: %w", err)
	}
	s.version++
	s.seen = seen
	return nil
}

// Share has the engine decide by what all sidecars with one store do, from now on: what
// one activates or rolls back is activated by all. What the source of this one holds and
// none has seen yet is activated for all; otherwise the engine takes what they have.
// It is called once, before the first decision; name is the sidecar's own. stop ends the
// following.
func (e *Engine) Share(ctx context.Context, s Shared, name string) (stop func() error, err error) {
	if err := e.join(ctx, s, name); err != nil {
		return nil, err
	}
	return e.follow(), nil
}

func (e *Engine) join(ctx context.Context, s Shared, name string) error {
	e.activating.Lock()
	defer e.activating.Unlock()
	s = bounded{s}
	version, text, err := s.Load(ctx)
	if err != nil {
		return fmt.Errorf("reading the policies of the store: %w", err)
	}
	own, mine := e.Active().Info, e.kept.state
	if w := mine.Waiting; w != nil {
		own = *w
	}
	var files bundle.Snapshot
	if e.changed || mine.Waiting != nil {
		if files, err = e.kept.read(own); err != nil { // as long as the number is its own
			return err
		}
	}
	e.kept.shared = &sharing{Shared: s, name: name, version: version}
	for range joinAttempts {
		if version == 0 {
			err = e.publishAll()
		} else {
			err = e.joinOthers(ctx, version, text, own, mine, files)
		}
		if !errors.Is(err, ErrMeanwhile) {
			return err
		}
		var failed error
		if version, text, failed = s.Load(ctx); failed != nil {
			return fmt.Errorf("reading the policies of the store: %w", failed)
		}
	}
	return err
}

// joinOthers takes what others have, and activates what this sidecar's source holds if
// none has seen it. own and mine are what it had by itself.
func (e *Engine) joinOthers(ctx context.Context, version int64, text []byte, own Info, mine state, files bundle.Snapshot) error {
	if failure := e.adopt(ctx, version, text); failure != nil {
		e.report(problem{e.kept.state.wanted(), failure})
	}
	unseen := !slices.Contains(e.kept.shared.seen[e.o.Source], mine.SourceDigest)
	if mine.Waiting != nil && unseen || e.changed && own.Digest != e.Active().Digest && (e.resumed || unseen) {
		return e.publish(ctx, own, files, mine.SourceDigest)
	}
	return nil
}

// publishAll shares what this sidecar has: it is the first.
func (e *Engine) publishAll() error {
	archives := map[string][]byte{}
	for _, g := range e.kept.state.all() {
		text, err := e.kept.archive(g)
		if err != nil {
			return err
		}
		archives[g.Digest] = text
	}
	return e.kept.shared.save(e.kept.state, archives, held{e.o.Source, e.kept.state.SourceDigest})
}

// publish activates for all what this sidecar's source holds, or has it wait. One that is
// older than what the others had is refused: the problem is reported.
func (e *Engine) publish(ctx context.Context, own Info, files bundle.Snapshot, sourceDigest string) error {
	request := Request{Files: files, Source: own.Source, Actor: own.ActivatedBy, Trust: own.trust}
	g, failure := e.activateLocked(ctx, request, sourceDigest)
	switch {
	case failure != nil && errors.Is(failure, ErrMeanwhile):
		return failure
	case failure != nil:
		e.report(problem{own.Revision, failure})
	case g.Held != nil:
		e.setProblem(problem{wanted: own.Revision})
	}
	return nil
}

// follow begins to look for what others do.
func (e *Engine) follow() (stop func() error) {
	following, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		f := follower{engine: e}
		for f.look(following); following.Err() == nil; {
			select {
			case <-following.Done():
			case <-tick.C:
				f.look(following)
			}
		}
	})
	return func() error {
		cancel()
		done.Wait()
		return nil
	}
}

// follower looks for what other sidecars activated.
type follower struct {
	engine   *Engine
	failed   bool // the last look; it is logged once
	reported time.Time
	revision string // as reported
	retryAt  time.Time
}

func (f *follower) look(ctx context.Context) {
	e := f.engine
	version, err := e.kept.shared.Version(ctx)
	if err == nil {
		err = f.catchUp(ctx, version)
	}
	if now := e.o.Now(); err == nil && (e.Revision() != f.revision || now.Sub(f.reported) >= reportEvery) {
		f.reported, f.revision = now, e.Revision()
		var all []Sidecar
		if all, err = e.kept.shared.Report(ctx, e.kept.shared.name, f.revision); err == nil {
			e.noteSidecars(all)
		}
	}
	if (err != nil) != f.failed && ctx.Err() == nil {
		f.failed = err != nil
		if f.failed {
			e.o.Logger.Error("policies of other sidecars can't be read; keeping the last good one", zap.Error(err))
		}
	}
}

// catchUp takes over what others activated. What can't be is tried again after a while.
func (f *follower) catchUp(ctx context.Context, version int64) error {
	e := f.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	wanted, _ := e.kept.state.active()
	behind := wanted.Digest != e.Active().Digest
	if version == e.kept.shared.version && (!behind || e.o.Now().Before(f.retryAt)) {
		return nil
	}
	f.retryAt = e.o.Now().Add(retryAfter)
	return e.pull(ctx)
}

// pull reads what is shared, and activates what others did. It returns an error only
// where that can't be read.
func (e *Engine) pull(ctx context.Context) error {
	version, text, err := e.kept.shared.Load(ctx)
	if err != nil {
		return err
	}
	if failure := e.adopt(ctx, version, text); failure != nil {
		e.o.Metrics.failures.WithLabelValues(failure.Step).Inc()
		e.report(problem{e.kept.state.wanted(), failure})
	}
	return nil
}

// pullFirst is pull before a change, where policies are shared.
func (e *Engine) pullFirst(ctx context.Context) *Failure {
	if e.kept.shared == nil {
		return nil
	}
	if err := e.pull(ctx); err != nil {
		return &Failure{StepKeep, err}
	}
	return nil
}

// adopt makes the shared state the engine's own, and its generation the active one.
func (e *Engine) adopt(ctx context.Context, version int64, text []byte) *Failure {
	var theirs common
	if err := json.Unmarshal(text, &theirs); err != nil {
		return &Failure{StepRead, fmt.Errorf("reading the policies of the store: %w", err)}
	}
	for i, g := range theirs.Generations {
		theirs.Generations[i].trust = trustOfKept(g)
	}
	if g := theirs.Waiting; g != nil {
		g.trust = trustOfKept(*g)
	}
	e.kept.take(theirs, version)
	to, ok := e.kept.state.active()
	if !ok {
		return failed(StepRead, "the policies of the store have no active one")
	}
	if own := e.Active(); own != nil && own.Digest == to.Digest {
		e.active.Store(&Generation{Info: to, Evaluator: own.Evaluator})
		e.rehearse(ctx, nil)
		return nil
	}
	g, failure := e.restore(ctx, to)
	if failure == nil {
		e.swap(g)
	}
	return failure
}

// noteSidecars keeps what all sidecars decide by for the status.
func (e *Engine) noteSidecars(all []Sidecar) {
	differing := 0
	for _, one := range all {
		if one.Revision != e.Revision() {
			differing++
		}
	}
	e.o.Metrics.differing.Set(float64(differing))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sidecars = all
	switch {
	case differing == 0:
		e.differSince = time.Time{}
	case e.differSince.IsZero():
		e.differSince = e.o.Now()
	}
}

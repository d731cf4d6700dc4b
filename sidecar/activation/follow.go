package activation

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
)

// follow begins to look for what others do, and to answer what they ask.
func (e *Engine) follow() (stop func() error) {
	following, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { e.answerOthers(following) })
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
		_ = e.kept.shared.Leave(context.Background(), e.kept.shared.name) // else it is forgotten a little later
		return nil
	}
}

// follower looks for what other sidecars activated.
type follower struct {
	engine   *Engine
	failed   bool // the last look; it is logged once
	reported time.Time
	revision string        // as reported
	wait     time.Duration // before what could not be followed is tried again
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
	if err := e.pull(ctx); err != nil {
		return err
	}
	f.pause()
	return nil
}

// pause says when what could not be followed is tried again: what may pass soon, then less
// and less often.
func (f *follower) pause() {
	e := f.engine
	e.mu.Lock()
	failure := e.behind.failure
	e.mu.Unlock()
	switch {
	case failure == nil:
		f.wait = 0
	case failure.lasting():
		f.wait = retryAfter
	default:
		f.wait = min(max(2*f.wait, retrySoon), retryAfter)
	}
	f.retryAt = e.o.Now().Add(f.wait)
}

// pull reads what is shared, and activates what others did. It returns an error only
// where that can't be read.
func (e *Engine) pull(ctx context.Context) error {
	version, text, err := e.kept.shared.Load(ctx)
	if err != nil {
		return err
	}
	theirs, err := decode(text)
	if err != nil {
		return err
	}
	e.lag(e.adopt(ctx, version, theirs))
	return nil
}

// lag reports once why this sidecar could not follow the others; nil when it did.
func (e *Engine) lag(failure *Failure) {
	if failure == nil {
		return
	}
	p := problem{wanted: e.kept.state.wanted(), failure: failure}
	if e.setBehind(p) {
		e.o.Metrics.failures.WithLabelValues(failure.Step).Inc()
		e.logProblem(p)
	}
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

// caughtUp notes that the others decide as this sidecar does, which they did not.
func (e *Engine) caughtUp() {
	if e.setBehind(problem{}) && e.problem().failure == nil {
		e.setProblem(problem{wanted: e.Revision()})
	}
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

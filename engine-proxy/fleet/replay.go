package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const (
	// replayShare is how much longer than it took to play runs again nothing of it is
	// done: a tenth of the time of an engine, where replayPause allows.
	replayShare = 9
	// replayPause bounds that pause: it is all games'. The game that took so long has a
	// longer one of its own, from who gives the runs.
	replayPause = time.Minute
	// replayMost bounds the pause after a failure.
	replayMost = 15 * time.Minute
	// replayWork bounds the work of an engine for one game.
	replayWork = 2 * time.Minute
	// replayGrace is how long it has to end. It has nothing to lose.
	replayGrace = time.Second
)

// replays has runs of players played again, as long as the proxy works, by an engine
// without a volume for each game.
func (p *Proxy) replays() {
	from, ok := p.opts.Ledger.(engineproxy.Replays)
	if !ok {
		return
	}
	r := replayer{Proxy: p, from: from, left: true}
	for failures := 0; ; {
		pause := p.opts.Timing.Replay
		if p.ours.Load() && !p.frozen.Load() {
			took, err := r.once(p.ctx)
			switch {
			case err != nil && p.ctx.Err() == nil:
				if failures++; failures == 1 { // and what follows is the same
					p.log.Warn("runs of players can't be played again", zap.Error(err))
				}
				pause = min(replayMost, pause<<min(failures, 10))
			default:
				failures, pause = 0, max(pause, min(replayPause, replayShare*took))
			}
		}
		if clock.Sleep(p.ctx, p.clock, pause) != nil {
			return
		}
	}
}

// replayer plays runs again.
type replayer struct {
	*Proxy
	from engineproxy.Replays
	left bool // there may be an engine still, of a proxy that was killed or that could not end it
}

// spare is the engine without a volume, which goes for any other.
type spare struct{ cancel context.CancelCauseFunc }

func (spare) IdleSince() (time.Time, bool) { return time.Time{}, true }
func (s spare) Evict()                     { s.cancel(errNoLongerSpare) }

var errNoLongerSpare = errors.New("another engine needs its place")

// once plays runs of one game again, where there is a place that nobody needs, and returns
// how long an engine had them. Its error is the proxy's own, no game's.
func (r *replayer) once(ctx context.Context) (took time.Duration, err error) {
	if r.left {
		if err := clock.Do(ctx, r.clock, callDeadline, r.clearReplays); err != nil {
			return 0, err
		}
		r.left = false
	}
	id := r.replaysID()
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !r.admission.EnterSpare(id, id, spare{cancel}) {
		return 0, nil
	}
	defer r.admission.Release(id)
	var due contract.Replays
	err = clock.Do(within, r.clock, callDeadline, func(ctx context.Context) (err error) {
		due, err = r.from.RunsToReplay(ctx)
		return err
	})
	switch {
	case context.Cause(within) == errNoLongerSpare: // where it was given runs, they are given again after a while
		return 0, nil
	case err != nil || len(due.Runs) == 0:
		return 0, err
	case len(due.Runs) > contract.MaxReplays:
		return 0, fmt.Errorf("there are %d runs, want at most %d", len(due.Runs), contract.MaxReplays)
	}
	began := r.clock.Now()
	endings, err := r.playAgain(within, due)
	took = r.clock.Now().Sub(began)
	if context.Cause(within) == errNoLongerSpare && !r.left {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("playing runs of job %s again: %w", due.JobID, err)
	}
	return took, errors.Join(err, clock.Do(ctx, r.clock, callDeadline, func(ctx context.Context) error {
		return r.from.RunsReplayed(ctx, contract.Replayed{ProjectID: due.ProjectID, Endings: endings, Took: took.Milliseconds()})
	}))
}

// playAgain has an engine of its own play runs of a game. What fails once that is ready is
// the game's doing. Where none came to be, or it had to go, no run was played.
func (r *replayer) playAgain(ctx context.Context, due contract.Replays) (endings []contract.ReplayEnding, err error) {
	all := func(e contract.ReplayEnding) []contract.ReplayEnding {
		endings := make([]contract.ReplayEnding, len(due.Runs))
		for i, run := range due.Runs {
			endings[i] = e
			endings[i].Stream, endings[i].Run = run.Stream, run.Run
		}
		return endings
	}
	game, _, err := r.archive.Files(due.JobID)
	if errors.Is(err, archive.ErrNotFound) {
		return all(contract.ReplayEnding{Failed: "the game is no longer kept"}), nil
	}
	if err != nil {
		return all(contract.ReplayEnding{Unplayed: true}), err
	}
	defer game.Close()
	unplayed := true
	err = r.withReplayer(ctx, func(ctx context.Context, c *engineclient.Client) {
		var failed error
		if endings, failed = c.Replay(ctx, due.Runs, game); failed == nil {
			unplayed = false
			return
		}
		if context.Cause(ctx) == nil || errors.Is(context.Cause(ctx), clock.ErrDeadline) {
			r.log.Info("an engine could not play runs again", zap.String("job", due.JobID), zap.Error(failed))
			endings, unplayed = all(contract.ReplayEnding{Failed: contract.ReplayTooLong}), false
		}
	})
	if unplayed {
		endings = all(contract.ReplayEnding{Unplayed: true})
	}
	return endings, err
}

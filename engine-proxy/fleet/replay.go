package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
	"github.com/svc-games/svc/engine-proxy/state"
)

const (
	// replayShare is how much longer than it took to play runs again nothing of it is
	// done: a tenth of the time of an engine at most.
	replayShare = 9
	// replayMost bounds that pause, and the one after a failure.
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
	left := true // by an engine proxy that was killed
	for failures := 0; ; {
		pause := p.opts.Timing.Replay
		if p.ours.Load() && !p.frozen.Load() {
			began, played, err := p.clock.Now(), false, error(nil)
			if left {
				err = clock.Do(p.ctx, p.clock, callDeadline, p.clearReplays)
				left = err != nil
			}
			if err == nil {
				played, err = p.replayOnce(p.ctx, from)
			}
			switch {
			case err != nil && p.ctx.Err() == nil:
				if failures++; failures == 1 { // and what follows is the same
					p.log.Warn("runs of players can't be played again", zap.Error(err))
				}
				pause = min(replayMost, pause<<min(failures, 10))
			case played:
				failures, pause = 0, min(replayMost, max(pause, replayShare*p.clock.Now().Sub(began)))
			default:
				failures = 0
			}
		}
		if clock.Sleep(p.ctx, p.clock, pause) != nil {
			return
		}
	}
}

// replayOnce plays runs of one game again, and reports whether there were any.
func (p *Proxy) replayOnce(ctx context.Context, from engineproxy.Replays) (bool, error) {
	var due contract.Replays
	err := clock.Do(ctx, p.clock, callDeadline, func(ctx context.Context) (err error) {
		due, err = from.RunsToReplay(ctx)
		return err
	})
	if err != nil || len(due.Runs) == 0 {
		return false, err
	}
	if len(due.Runs) > contract.MaxReplays {
		return false, fmt.Errorf("there are %d runs, want at most %d", len(due.Runs), contract.MaxReplays)
	}
	endings, err := p.playAgain(ctx, due)
	if err != nil {
		return false, fmt.Errorf("playing runs of job %s again: %w", due.JobID, err)
	}
	return true, clock.Do(ctx, p.clock, callDeadline, func(ctx context.Context) error {
		return from.RunsReplayed(ctx, contract.Replayed{ProjectID: due.ProjectID, Endings: endings})
	})
}

// playAgain has an engine of its own play runs of a game.
func (p *Proxy) playAgain(ctx context.Context, due contract.Replays) ([]contract.ReplayEnding, error) {
	game, _, err := p.archive.Files(due.JobID)
	if errors.Is(err, archive.ErrNotFound) {
		endings := make([]contract.ReplayEnding, len(due.Runs))
		for i, run := range due.Runs {
			endings[i] = contract.ReplayEnding{Stream: run.Stream, Run: run.Run, Failed: "the game is no longer kept"}
		}
		return endings, nil
	}
	if err != nil {
		return nil, err
	}
	defer game.Close()
	return p.withReplayer(ctx, func(ctx context.Context, c *engineclient.Client) ([]contract.ReplayEnding, error) {
		return c.Replay(ctx, due.Runs, game)
	})
}

// replaysID is by which drivers know the engine without a volume. It can be a project's
// id, and is none.
func (p *Proxy) replaysID() string {
	sum := sha256.Sum256([]byte("replays of " + p.installation.ID))
	return hex.EncodeToString(sum[:12])
}

// lasting is an engine that is never idle: it ends by itself.
type lasting struct{}

func (lasting) IdleSince() (time.Time, bool) { return time.Time{}, false }
func (lasting) Evict()                       {}

// withReplayer starts the engine without a volume, in its turn and where there is room,
// and stops it after the use of it.
func (p *Proxy) withReplayer(
	ctx context.Context, use func(ctx context.Context, c *engineclient.Client) ([]contract.ReplayEnding, error),
) (endings []contract.ReplayEnding, err error) {
	id := p.replaysID()
	ticket, err := p.admission.Enter(id, id, lasting{})
	if err != nil {
		return nil, err
	}
	defer p.admission.Release(id)
	defer ticket.Close()
	ctx, cancel := clock.Within(ctx, p.clock, p.opts.Timing.Queue+p.opts.Timing.Start+replayWork)
	defer cancel()
	if err := ticket.Wait(ctx); err != nil {
		return nil, err
	}
	spec, token, err := p.replaySpec(id)
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.opts.Timing.StopGrace)
		defer cancel()
		err = errors.Join(err, p.clearReplays(ctx), state.RemoveSocketDir(spec.Socket, spec.RuntimeDir))
	}()
	client, err := p.startReplayer(ctx, spec, token)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ticket.Close()
	return use(ctx, client)
}

// replaySpec says what the driver is to run.
func (p *Proxy) replaySpec(id string) (s driver.Spec, token string, err error) {
	now := p.clock.Now()
	s.Incarnation = driver.Incarnation{ProjectID: id, Generation: uint64(now.UnixMilli()), InstanceID: api.NewInstanceID(now)}
	s.StateDir = p.layout.State(id)
	if s.Socket, err = p.layout.PrepareReplays(id); err != nil {
		return s, "", err
	}
	token = state.NewToken()
	if err := durable.Replace(p.layout.Token(id), []byte(token)); err != nil {
		return s, "", fmt.Errorf("writing engine token: %w", err)
	}
	if p.remote == nil {
		s.RuntimeDir, s.TokenFile = p.layout.Runtime(id), p.layout.Token(id)
		return s, token, nil
	}
	s.Remote = &driver.RemoteSpec{Token: token, CA: p.authority.PEM()}
	s.Remote.Cert, s.Remote.Key, err = p.authority.Issue(s.InstanceID)
	return s, token, err
}

// startReplayer returns a client of the engine once that is ready.
func (p *Proxy) startReplayer(ctx context.Context, s driver.Spec, token string) (*engineclient.Client, error) {
	handle, err := p.opts.Driver.Start(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	at, dial := driver.UnixEndpoint(s.Socket), p.dial
	if s.Remote != nil {
		if at, err = p.locate(ctx, handle); err != nil {
			return nil, err
		}
		tcp := engineproxy.Endpoint{Network: at.Network, Address: at.Address, InstanceID: s.InstanceID, Token: token, TLS: p.authority.Client(s.InstanceID)}
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return tcp.Dial(ctx) }
	}
	client := engineclient.New(engineclient.Target{
		ProjectID: s.ProjectID, InstanceID: s.InstanceID, Network: at.Network, Address: at.Address, Token: token, Dial: dial,
	})
	ready, cancel := clock.Within(ctx, p.clock, p.opts.Timing.Boot)
	defer cancel()
	if _, err := p.probe(ready, client, nil); err != nil {
		client.Close()
		said, logErr := p.opts.Driver.Logs(ctx, handle, 1<<10)
		if logErr == nil && len(said) > 0 {
			err = fmt.Errorf("%w; it says: %s", err, said)
		}
		return nil, err
	}
	return client, nil
}

// clearReplays ends what there is of engines without a volume.
func (p *Proxy) clearReplays(ctx context.Context) error {
	list, err := p.opts.Driver.List(ctx)
	if err != nil {
		return fmt.Errorf("looking for engines that play runs again: %w", err)
	}
	for _, obs := range list {
		if obs.ProjectID != p.replaysID() {
			continue
		}
		if err := p.opts.Driver.Stop(ctx, obs.Handle, replayGrace); err != nil {
			return fmt.Errorf("stopping the engine that plays runs again: %w", err)
		}
		if err := p.opts.Driver.Remove(ctx, obs.Handle); err != nil {
			return fmt.Errorf("removing the engine that plays runs again: %w", err)
		}
	}
	return nil
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
)

// handler is what is served on the data directory's socket.
func (p *Proxy) handler() http.Handler {
	if p.opts.Serve == nil {
		return remote.NewOperatorHandler(p, p.log)
	}
	return p.opts.Serve(p)
}

// listen begins to listen there. Who asks waits until the gate is opened.
func (p *Proxy) listen() error {
	p.gate = peer.NewGate()
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(p.layout.Root, state.SocketName)},
		Handler: p.gate, TakeOver: p.opts.TakeOver, Logger: p.log,
	})
	if err != nil {
		return fmt.Errorf("serving operators: %w", err)
	}
	p.server = server
	return nil
}

// takenOver reports whether another process has our socket.
func (p *Proxy) takenOver() bool {
	if p.server == nil {
		return false
	}
	select {
	case <-p.server.TakenOver():
		return true
	default:
		return false
	}
}

// lockRetry is the pause between attempts to take the lock of an engine proxy
// that is about to end.
const lockRetry = 10 * time.Millisecond

// predecessorAnswers is how long one whose place is to be taken has to answer.
const predecessorAnswers = 10 * time.Second

// awaitPredecessor waits until the engine proxy whose place is to be taken
// serves: one that waits for its own predecessor would be overtaken, and those
// who wait for it be forgotten. One that does not answer is not waited for.
func (p *Proxy) awaitPredecessor(ctx context.Context) {
	ctx, cancel := clock.Within(ctx, p.clock, predecessorAnswers)
	defer cancel()
	if _, err := remote.NewOperator(p.layout.Root).List(ctx); err != nil && !errors.Is(err, peer.ErrNotListening) {
		p.log.Warn("the engine proxy that is taken over does not answer", zap.Error(err))
	}
}

// takeLock takes the installation's lock, which the kernel frees however this
// process ends. After a take-over it waits for the one that has it.
func (p *Proxy) takeLock(ctx context.Context) error {
	for {
		f, err := state.Lock(state.LockPath(p.opts.DataDir))
		if err == nil {
			p.lock = f
			return nil
		}
		if !p.opts.TakeOver || !errors.Is(err, peer.ErrInUse) {
			return err
		}
		if ended := clock.Sleep(ctx, p.clock, lockRetry); ended != nil {
			return fmt.Errorf("waiting for the engine proxy that was taken over: %w", errors.Join(ended, err))
		}
	}
}

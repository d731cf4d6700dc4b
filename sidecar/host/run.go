package host

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/peer/span/export"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// openTimeout bounds an attempt to start.
	openTimeout = 30 * time.Second
	// minAway is the wait after the first attempt for which the database was away; each
	// further one is twice as long, up to maxAway.
	minAway = 200 * time.Millisecond
	maxAway = 5 * time.Second
)

// Run is svc-sidecar: it serves until ctx ends, or until another process has taken
// the sockets over. Then it ends the requests under way.
func Run(ctx context.Context, o Flags) error {
	logger, err := cli.Logger(o.LogLevel, o.LogFormat)
	if err != nil {
		return err
	}
	sent, err := export.Start(ctx, "svc-sidecar", logger)
	if err != nil {
		return err
	}
	defer sent()
	options, err := o.options(logger)
	if err != nil {
		return err
	}
	h, err := open(ctx, options)
	if err != nil {
		return cli.SuggestTakeOver(err)
	}
	if h == nil {
		logger.Info("sidecar stops before it has started")
		return nil
	}
	logger.Info("sidecar serves", zap.Stringer("address", h.Address()), zap.String("data_dir", o.DataDir),
		zap.String("policy_revision", h.Policy.Revision()))
	select {
	case <-ctx.Done():
		logger.Info("sidecar stops")
	case <-h.TakenOver():
		logger.Info("sidecar stops: another one has taken its socket over")
	}
	return h.Close()
}

// open opens a sidecar. One whose database is away waits for it, as the other parts wait
// for the sidecar. It returns nil when ctx ends meanwhile.
func open(ctx context.Context, o Options) (*Host, error) {
	for pause := minAway; ; pause = min(2*pause, maxAway) {
		opening, cancel := context.WithTimeout(ctx, openTimeout)
		h, err := Open(opening, o)
		cancel()
		switch {
		case err == nil:
			return h, nil
		case ctx.Err() != nil:
			return nil, nil
		case !errors.Is(err, store.ErrAway):
			return nil, err
		}
		o.Logger.Warn("the database is not reachable; waiting for it to start", zap.Error(err))
		if !peer.Sleep(ctx, pause) {
			return nil, nil
		}
	}
}

package host

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer/cli"
)

// openTimeout bounds the start.
const openTimeout = 30 * time.Second

// Run is svc-sidecar: it serves until ctx ends, or until another process has taken
// the sockets over. Then it ends the requests under way.
func Run(ctx context.Context, o Flags) error {
	logger, err := cli.Logger(o.LogLevel, o.LogFormat)
	if err != nil {
		return err
	}
	options, err := o.options(logger)
	if err != nil {
		return err
	}
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	h, err := Open(opening, options)
	if err != nil {
		return cli.SuggestTakeOver(err)
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

package gateway

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// renewals is how often a reservation is renewed before it would be overdue: some may
// fail, or be slow.
const renewals = 4

// renew keeps a reservation from being overdue until stop is called. A gateway that is
// killed renews no more, and what it left is settled without it. Most submissions end
// before the first renewal.
func (s *Submitter) renew(ctx context.Context, jobID string) (stop func()) {
	if s.Deadline <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	first := time.AfterFunc(s.Deadline/renewals, func() {
		every := time.NewTicker(s.Deadline / renewals)
		defer every.Stop()
		for ctx.Err() == nil {
			if err := s.renewOnce(ctx, jobID); err != nil && ctx.Err() == nil {
				s.Logger.Warn("renewing reservation failed", zap.String("job", jobID), zap.Error(err))
			}
			select {
			case <-every.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		first.Stop()
		cancel()
	}
}

func (s *Submitter) renewOnce(ctx context.Context, jobID string) error {
	ctx, cancel := context.WithTimeout(ctx, s.Deadline/2)
	defer cancel()
	return s.Sidecar.Renew(ctx, jobID, s.Deadline)
}

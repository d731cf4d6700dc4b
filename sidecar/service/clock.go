package service

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/store"
)

const (
	// lookAtClock is how often the clock is looked at.
	lookAtClock = 5 * time.Second
	// jumpedBy is how far it must have jumped to be worth a word: a busy machine may take
	// seconds between two looks at two clocks.
	jumpedBy = 15 * time.Second
)

// clock is the time by which days, months and deadlines go.
func (s *Service) clock(ctx context.Context) (at time.Time, err error) {
	err = s.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
		at, err = r.Now(s.timed)
		return err
	})
	return at, err
}

// watchClock logs when the clock jumps, until ctx ends: what was counted before is then of
// another day.
func (s *Service) watchClock(ctx context.Context) {
	var j jumps
	tick := time.NewTicker(lookAtClock)
	defer tick.Stop()
	for {
		if at, err := s.clock(ctx); err == nil {
			if by := j.by(at, time.Now()).Round(time.Minute); by.Abs() >= jumpedBy {
				s.logger.Warn("clock jumped", zap.Stringer("by", by), zap.Time("to", at.UTC()))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// jumps compares a clock with one that can't be set.
type jumps struct{ clock, steady time.Time }

// by returns by how much the clock went on more than the steady one did since the last
// call.
func (j *jumps) by(clock, steady time.Time) (jump time.Duration) {
	clock = clock.Round(0) // its own reading and not the steady one within it
	if !j.steady.IsZero() {
		jump = clock.Sub(j.clock) - steady.Sub(j.steady)
	}
	j.clock, j.steady = clock, steady
	return jump
}

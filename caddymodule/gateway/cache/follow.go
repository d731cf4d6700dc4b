package cache

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar"
)

// follower reads the revocation log: at each hint, and every Poll without one.
type follower struct {
	service sidecar.Service
	opts    Options
	epochs  *epochs
	lease   *lease

	cursor int64
	basis  string
	lost   bool // the last contact failed; logged once
	cancel context.CancelFunc
	done   chan struct{}
}

// follow starts a follower at the log's end: nothing is cached yet.
func follow(service sidecar.Service, o Options, e *epochs, l *lease) *follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{
		service: service, opts: o, epochs: e, lease: l,
		cursor: -1, cancel: cancel, done: make(chan struct{}),
	}
	go f.run(ctx)
	return f
}

func (f *follower) close() {
	f.cancel()
	<-f.done
}

func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	hints, stop := f.service.Watch()
	defer stop()
	poll := time.NewTicker(f.opts.Poll)
	defer poll.Stop()
	for {
		f.catchUp(ctx)
		select {
		case <-ctx.Done():
			return
		case <-hints:
		case <-poll.C:
		}
	}
}

// catchUp reads the log to its end and renews the lease as of the moment at
// which the last read began.
func (f *follower) catchUp(ctx context.Context) {
	for {
		began := time.Now()
		changes, err := f.read(ctx)
		if err != nil {
			if !f.lost && ctx.Err() == nil {
				f.opts.Logger.Warn("revocation log can't be read, keys are checked one by one", zap.Error(err))
			}
			f.lost = true
			return
		}
		if f.lost {
			f.opts.Logger.Info("revocation log is read again")
		}
		f.lost = false
		for _, id := range changes.KeyIDs {
			f.epochs.invalidate(shardOf(id))
		}
		if changes.Basis != f.basis {
			f.epochs.invalidateAll()
			f.opts.OnBasis()
		}
		f.cursor, f.basis = changes.Seq, changes.Basis
		if !changes.More {
			f.lease.renew(began)
		}
		if len(changes.KeyIDs) > 0 {
			f.opts.OnChange(changes.KeyIDs)
		}
		if !changes.More {
			return
		}
	}
}

// read bounds one read: an answer that takes longer than the lease is of no
// use.
func (f *follower) read(ctx context.Context) (sidecar.Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Lease)
	defer cancel()
	return f.service.Changes(ctx, f.cursor)
}

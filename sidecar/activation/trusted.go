package activation

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy/bundle"
)

// trusted are the keys that signatures are checked with, as their files held them when they
// were read. It never changes.
type trusted struct {
	keys, approvers bundle.Keys
}

func (o Options) readTrusted() (t trusted, err error) {
	if o.KeyFile != "" {
		if t.keys, err = bundle.ReadKeys(o.KeyFile); err != nil {
			return t, err
		}
	}
	if o.Approvers != "" && o.Approvers != NoApprovers {
		t.approvers, err = bundle.ReadKeys(o.Approvers)
	}
	return t, err
}

// same reports whether two hold the same keys.
func (t trusted) same(as trusted) bool {
	return slices.Equal(t.keys.Fingerprints(), as.keys.Fingerprints()) && slices.Equal(t.approvers.Fingerprints(), as.approvers.Fingerprints())
}

// followTrusted reads the files of the keys again and again, so that another key needs no
// restart. What is active stays, whoever signed it; what can't be read changes nothing.
func (e *Engine) followTrusted(ctx context.Context) {
	look := time.NewTicker(DefaultPoll)
	defer look.Stop()
	var failed string // the last time; it is logged once
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		now, err := e.o.readTrusted()
		if err == nil {
			err = e.trust(now)
		}
		if err == nil {
			failed = ""
		} else if err.Error() != failed {
			failed = err.Error()
			e.o.Logger.Error("keys of policies can't be read again; keeping the former ones", zap.Error(err))
		}
	}
}

// trust has signatures checked with other keys from now on, and makes the approvers those of
// all sidecars, as a start does.
func (e *Engine) trust(now trusted) error {
	e.activating.Lock()
	defer e.activating.Unlock()
	if before := e.trusted.Load(); !now.same(*before) {
		e.trusted.Store(&now)
		e.unshared = e.unshared || !slices.Equal(before.approvers.Fingerprints(), now.approvers.Fingerprints())
		e.o.Logger.Warn("the keys of policies change", zap.Strings("keys", now.keys.Fingerprints()), zap.Strings("approvers", now.approvers.Fingerprints()))
	}
	if !e.unshared || e.kept.shared == nil {
		return nil
	}
	err := e.shareApprovers()
	e.unshared = err != nil
	if errors.Is(err, ErrMeanwhile) {
		return nil // the next look is after what others did
	}
	return err
}

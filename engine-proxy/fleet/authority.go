package fleet

import (
	"context"
	"errors"

	"go.uber.org/zap"
)

// renewing has engines of other machines started by another authority when the file of this one
// is gone, and forgets the former once none of its engines is left. It works on its own
// goroutine.
type renewing struct {
	*Proxy
	failed string // the last look; it is logged once
}

func (r *renewing) look(ctx context.Context) {
	if r.authorities == nil {
		return
	}
	err := r.retire(ctx)
	if err == nil {
		var replaced bool
		if replaced, err = r.authorities.Look(r.clock.Now()); replaced && err == nil {
			r.log.Warn("another authority issues the certificates of engines; those that run keep theirs",
				zap.String("authority", r.authorities.Current().Name()), zap.String("former", r.authorities.Former().Name()))
		}
	}
	switch {
	case err == nil:
		r.failed = ""
	case ctx.Err() == nil && err.Error() != r.failed:
		r.failed = err.Error()
		r.log.Error("the engines' authority can't be replaced", zap.Error(err))
	}
}

// retire forgets the former authority when no engine needs it, nor one that may still be
// found.
func (r *renewing) retire(ctx context.Context) error {
	former := r.authorities.Former()
	if former == nil || r.frozen.Load() || r.clock.Now().Before(r.graceEnds) {
		return nil
	}
	for _, a := range r.all() {
		needed := false
		err := a.do(ctx, func() {
			needed = a.run != nil && (a.run.entry.InstanceID == "" || r.authorities.By(a.run.entry.Authority) == former)
		})
		if needed || err != nil && !errors.Is(err, errEnded) {
			return err
		}
	}
	if err := r.authorities.Retire(); err != nil {
		return err
	}
	r.log.Info("no engine of the former authority is left: it is forgotten", zap.String("former", former.Name()))
	return nil
}

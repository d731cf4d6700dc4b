package webhooks

import (
	"cmp"
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/store"
)

const (
	// lookEvery is how often the sender looks for what is due.
	lookEvery = time.Second
	// pruneEvery is how often old deliveries are deleted.
	pruneEvery = time.Hour
	// parallel is how many posts a sender has under way at once, one of each project and
	// perOwner of each owner, of all senders: slow receivers delay their owner's alone.
	parallel = 16
	perOwner = 4
)

// SenderOptions of NewSender; Store and Permitted are required.
type SenderOptions struct {
	Store *store.Store
	// Permitted reports whether the owner of a project may read what its webhook is posted.
	// Without a yes nothing is posted, and the delivery is tried again as after a failure.
	Permitted func(ctx context.Context, userID, projectID string) (bool, error)
	// Now is the clock; nil is the store's.
	Now func() time.Time
	// Networks are those of New.
	Networks []netip.Prefix
	// LookUp resolves host names; nil asks the system.
	LookUp func(ctx context.Context, host string) ([]netip.Addr, error)
	// Roots are the authorities of receivers' certificates; nil is the system's.
	Roots  *x509.CertPool
	Logger *zap.Logger // default: none
}

// Sender posts deliveries that are due. Any number of them may share a store.
type Sender struct {
	o       SenderOptions
	timeout time.Duration // of an attempt
	wake    chan struct{} // holds one token once a post has ended
	tasks   sync.WaitGroup
	busy    atomic.Int64 // posts under way
}

// NewSender returns a sender, which Run has post.
func NewSender(o SenderOptions) *Sender {
	if o.LookUp == nil {
		o.LookUp = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	return &Sender{o: o, timeout: attemptTimeout, wake: make(chan struct{}, 1)}
}

// Run posts until ctx ends, and returns once nothing is under way. A post that ctx cuts
// is due again at once.
func (s *Sender) Run(ctx context.Context) {
	look, pruning := time.NewTicker(lookEvery), time.NewTicker(pruneEvery)
	defer look.Stop()
	defer pruning.Stop()
	s.tidy(ctx)
	for {
		s.round(ctx)
		select {
		case <-look.C:
		case <-s.wake:
		case <-pruning.C:
			s.tidy(ctx)
		case <-ctx.Done():
			s.tasks.Wait()
			return
		}
	}
}

func (s *Sender) tidy(ctx context.Context) {
	if err := s.prune(ctx); err != nil && ctx.Err() == nil {
		s.o.Logger.Warn("old deliveries not deleted", zap.Error(err))
	}
}

// round begins to post what is due.
func (s *Sender) round(ctx context.Context) {
	free := parallel - int(s.busy.Load())
	if free <= 0 || ctx.Err() != nil {
		return
	}
	list, err := s.take(ctx, free)
	if err != nil && ctx.Err() == nil {
		s.o.Logger.Warn("deliveries can't be taken", zap.Error(err))
	}
	for _, t := range list {
		s.busy.Add(1)
		s.tasks.Go(func() {
			s.deliver(ctx, t)
			s.busy.Add(-1)
			select {
			case s.wake <- struct{}{}:
			default:
			}
		})
	}
}

// deliver makes one attempt and notes what became of it.
func (s *Sender) deliver(ctx context.Context, t taken) {
	got := s.refused(ctx, t)
	if got == (outcome{}) {
		got = s.post(ctx, t)
	}
	if err := s.note(context.WithoutCancel(ctx), t, got); err != nil {
		s.o.Logger.Warn("attempt to deliver not noted", zap.String("delivery_id", t.id), zap.Error(err))
		return
	}
	s.o.Logger.Debug("delivery attempted", zap.String("delivery_id", t.id), zap.Int("status", got.status), zap.String("problem", got.problem))
}

// refused is what becomes of an attempt that the owner has no permission for, nothing
// where there is one.
func (s *Sender) refused(ctx context.Context, t taken) outcome {
	permitted, err := s.o.Permitted(ctx, t.ownerID, t.projectID)
	switch {
	case ctx.Err() != nil:
		return outcome{interrupted: true}
	case err != nil:
		s.o.Logger.Warn("no decision on a delivery", zap.String("delivery_id", t.id), zap.Error(err))
		return outcome{problem: "It could not be decided whether it may be posted."}
	case !permitted:
		return outcome{problem: "The project's owner may not read it now, so that it is not posted."}
	}
	return outcome{}
}

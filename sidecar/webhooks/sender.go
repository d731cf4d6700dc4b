package webhooks

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/store"
)

const (
	// lookEvery is how often the sender looks for what is due.
	lookEvery = time.Second
	// pruneEvery is how often old deliveries are deleted.
	pruneEvery = time.Hour
	// parallel is how many posts are under way at once, one of each project: a slow
	// receiver delays its own project alone.
	parallel = 16
)

// SenderOptions of NewSender; Store is required.
type SenderOptions struct {
	Store *store.Store
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

	mu   sync.Mutex      // guards busy
	busy map[string]bool // projects with a post under way
}

// NewSender returns a sender, which Run has post.
func NewSender(o SenderOptions) *Sender {
	if o.LookUp == nil {
		o.LookUp = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return &Sender{o: o, timeout: attemptTimeout, wake: make(chan struct{}, 1), busy: map[string]bool{}}
}

// Run posts until ctx ends, and returns once nothing is under way. A post that ctx cuts
// is due again at once.
func (s *Sender) Run(ctx context.Context) {
	look, pruning := time.NewTicker(lookEvery), time.NewTicker(pruneEvery)
	defer look.Stop()
	defer pruning.Stop()
	for {
		s.round(ctx)
		select {
		case <-look.C:
		case <-s.wake:
		case <-pruning.C:
			if err := s.prune(ctx); err != nil && ctx.Err() == nil {
				s.o.Logger.Warn("old deliveries not deleted", zap.Error(err))
			}
		case <-ctx.Done():
			s.tasks.Wait()
			return
		}
	}
}

// round begins to post what is due.
func (s *Sender) round(ctx context.Context) {
	busy := s.underWay()
	if len(busy) >= parallel || ctx.Err() != nil {
		return
	}
	list, err := s.take(ctx, parallel-len(busy), busy)
	if err != nil && ctx.Err() == nil {
		s.o.Logger.Warn("deliveries can't be taken", zap.Error(err))
	}
	for _, t := range list {
		s.set(t.projectID, true)
		s.tasks.Go(func() {
			s.deliver(ctx, t)
			s.set(t.projectID, false)
			select {
			case s.wake <- struct{}{}:
			default:
			}
		})
	}
}

// deliver makes one attempt and notes what became of it.
func (s *Sender) deliver(ctx context.Context, t taken) {
	got := s.post(ctx, t)
	if err := s.note(context.WithoutCancel(ctx), t, got); err != nil {
		s.o.Logger.Warn("attempt to deliver not noted", zap.String("delivery_id", t.id), zap.Error(err))
		return
	}
	s.o.Logger.Debug("delivery attempted", zap.String("delivery_id", t.id), zap.Int("status", got.status), zap.String("problem", got.problem))
}

func (s *Sender) underWay() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy := make(map[string]bool, len(s.busy))
	for id := range s.busy {
		busy[id] = true
	}
	return busy
}

func (s *Sender) set(projectID string, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if busy {
		s.busy[projectID] = true
	} else {
		delete(s.busy, projectID)
	}
}

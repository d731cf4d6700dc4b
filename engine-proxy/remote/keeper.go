package remote

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const (
	// touchEvery is how often a client says which leases it holds.
	touchEvery = leaseTTL / 6
	// releaseWithin is how long ended leases are gathered before they are told.
	releaseWithin = 50 * time.Millisecond
	touchTimeout  = 5 * time.Second
)

// keeper holds a client's leases: it tells the engine proxy at regular times
// which are used, and soon which are not.
type keeper struct {
	session string
	send    func(context.Context, touch) error

	mu       sync.Mutex // guards what follows
	last     uint64
	live     map[uint64]struct{}
	released []uint64
	wake     chan struct{}
}

func newKeeper(send func(context.Context, touch) error) *keeper {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return &keeper{
		session: hex.EncodeToString(id[:]), send: send,
		live: make(map[uint64]struct{}), wake: make(chan struct{}, 1),
	}
}

// mint numbers a lease that is about to be asked for.
func (k *keeper) mint() leaseRef {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	k.live[k.last] = struct{}{}
	return leaseRef{Session: k.session, ID: k.last}
}

// release ends a lease, also one that may never have been given.
func (k *keeper) release(id uint64) {
	k.mu.Lock()
	_, held := k.live[id]
	delete(k.live, id)
	if held {
		k.released = append(k.released, id)
	}
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run tells the engine proxy until ctx ends, and then that all have ended.
func (k *keeper) run(ctx context.Context) {
	all := time.NewTicker(touchEvery)
	defer all.Stop()
	for {
		select {
		case <-ctx.Done():
			k.endAll(context.WithoutCancel(ctx))
			return
		case <-all.C:
			k.sendChanges(ctx, true)
		case <-k.wake:
			_ = clock.Sleep(ctx, clock.System{}, releaseWithin) // for as long as others may join
			k.sendChanges(ctx, false)
		}
	}
}

// endAll tells that all leases have ended. They would by themselves, but later.
func (k *keeper) endAll(ctx context.Context) {
	k.mu.Lock()
	t := touch{Session: k.session, All: true, UpTo: k.last}
	k.mu.Unlock()
	if t.UpTo == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, touchTimeout)
	defer cancel()
	_ = k.send(ctx, t) // an engine proxy that is away has no leases of ours
}

// sendChanges sends what has ended, and with all what has not. What could not be told
// is in the next list of all.
func (k *keeper) sendChanges(ctx context.Context, all bool) {
	k.mu.Lock()
	t := touch{Session: k.session, Released: k.released, All: all}
	k.released = nil
	if all {
		t.UpTo = k.last
		for id := range k.live {
			t.Live = append(t.Live, id)
		}
		slices.Sort(t.Live)
	}
	idle := len(t.Released) == 0 && len(t.Live) == 0
	k.mu.Unlock()
	if idle {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, touchTimeout)
	defer cancel()
	_ = k.send(ctx, t) // an engine proxy that is away has no leases of ours
}

package cache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

var errDown = errors.New("down for the test")

// origin is a sidecar with one key, whose state a test changes.
type origin struct {
	sidecar.Service

	mu      sync.Mutex // guards the following fields
	state   string
	down    bool
	log     []string
	reads   int
	hold    chan struct{} // non-nil: a look-up waits here with its answer in hand
	held    chan struct{} // closed once one waits
	hints   chan struct{}
	deaf    bool // hints are lost
	unknown bool
	basis   string
	gone    bool // the project is deleted

	policyReads policy.Reads
}

func newOrigin() *origin {
	return &origin{state: policy.KeyActive, hints: make(chan struct{}, 1)}
}

func (o *origin) decision() policy.Decision {
	if o.gone {
		return policy.Decision{Status: 403}
	}
	if o.state == policy.KeyActive {
		return policy.Decision{Allow: true, Status: 200, Reads: o.policyReads}
	}
	return policy.Decision{Status: 401, Reason: o.state, Reads: o.policyReads}
}

func (o *origin) Authenticate(ctx context.Context, _ mint.KeyHash) (sidecar.Identity, error) {
	d, err := o.look(ctx)
	return sidecar.Identity{KeyID: "k", UserID: "u", Decision: d}, err
}

func (o *origin) Decide(ctx context.Context, _, _ string, _ policy.Action) (policy.Decision, error) {
	return o.look(ctx)
}

func (o *origin) look(ctx context.Context) (policy.Decision, error) {
	o.mu.Lock()
	o.reads++
	d, down, unknown, hold, held := o.decision(), o.down, o.unknown, o.hold, o.held
	o.hold = nil
	o.mu.Unlock()
	if hold != nil {
		close(held)
		select {
		case <-hold:
		case <-ctx.Done():
			return policy.Decision{}, ctx.Err()
		}
	}
	if down {
		return policy.Decision{}, errDown
	}
	if unknown {
		return policy.Decision{}, sidecar.ErrUnknownKey
	}
	return d, nil
}

func (o *origin) Changes(_ context.Context, after int64) (sidecar.Changes, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down {
		return sidecar.Changes{}, errDown
	}
	c := sidecar.Changes{Seq: int64(len(o.log)), Basis: o.basis}
	if after >= 0 {
		c.KeyIDs = o.log[after:]
	}
	return c, nil
}

func (o *origin) Watch() (<-chan struct{}, func()) { return o.hints, func() {} }

func (o *origin) WatchJobs(func(string)) (func(), bool) { return func() {}, false }

func (o *origin) revoke() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state = policy.KeyRevoked
	o.log = append(o.log, "k")
	if !o.deaf {
		o.hints <- struct{}{}
	}
}

// holds has the next look-up wait with its answer in hand until let is called.
func (o *origin) holds() (let func()) {
	hold := make(chan struct{})
	o.set(func(o *origin) { o.hold, o.held = hold, make(chan struct{}) })
	return func() { close(hold) }
}

func (o *origin) set(change func(*origin)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

func (o *origin) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reads
}

func (o *origin) DeleteProject(context.Context, string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = true
	return nil
}

// bubble runs a test with a cache on a fake clock.
func bubble(t *testing.T, o *origin, opts Options, test func(t *testing.T, c *Cache)) {
	synctest.Test(t, func(t *testing.T) {
		o.hints = make(chan struct{}, 1)
		c, err := New(o, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		synctest.Wait() // the lease holds
		test(t, c)
	})
}

// lookUp asks a cache for something, and reports whether it is allowed.
type lookUp func(context.Context, *Cache) (bool, error)

// looks are what a cache looks up of the sidecar, by what it is.
var looks = map[string]lookUp{
	"key": func(ctx context.Context, c *Cache) (bool, error) {
		id, err := c.Authenticate(ctx, mint.KeyHash{1})
		c.entries.Wait()
		return id.Decision.Allow, err
	},
	"decision": func(ctx context.Context, c *Cache) (bool, error) {
		d, err := c.Decide(ctx, "k", "p", policy.ActionStatus)
		c.entries.Wait()
		return d.Allow, err
	},
}

// check asks for the key and waits until what was cached can be found.
func check(t *testing.T, c *Cache) (allowed bool, err error) {
	t.Helper()
	return looks["key"](t.Context(), c)
}

func wantAllowed(t *testing.T, c *Cache, want bool) {
	t.Helper()
	if allowed, err := check(t, c); err != nil || allowed != want {
		t.Errorf("allowed %v, %v; want %v", allowed, err, want)
	}
}

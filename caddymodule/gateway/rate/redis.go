package rate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/redis/go-redis/v9"

	"github.com/svc-games/svc/sidecar/push/redisconn"
)

// Defaults of RedisOptions.
const (
	DefaultTimeout = 250 * time.Millisecond
	DefaultRetry   = time.Second
)

// RedisOptions configure a Redis limiter.
type RedisOptions struct {
	// URL of the server: redis://, rediss:// or unix://.
	URL string
	// Size is how many keys are remembered, above 0.
	Size int
	// Timeout bounds one question to the server. 0 means DefaultTimeout.
	Timeout time.Duration
	// Retry is how long the server is left alone after it failed to answer.
	// 0 means DefaultRetry.
	Retry time.Duration
	// Now is the clock of leases and retries; the buckets go by the server's.
	Now func() time.Time
	// Changed is told when the server is lost, with the error, and when it is
	// back, with nil. It may be called from any goroutine, never concurrently.
	Changed func(lost error)
}

// Redis limits together with every node that uses the same server, through
// redis_rate. It leases tokens in batches instead of asking for each one: a
// batch doubles whenever the one before was used up quickly, so that a busy
// key costs few round trips and a quiet one leaves no tokens lying about. A
// leased token has left the shared bucket, so all nodes together never allow
// more than the limit.
//
// While the server does not answer, the node limits alone with buckets of its
// own; it asks again by itself.
type Redis struct {
	opts     RedisOptions
	client   *redis.Client
	limiter  *redis_rate.Limiter
	fallback *Local[string]

	away    atomic.Bool  // the server did not answer
	askAt   atomic.Int64 // Unix nanoseconds before which it is left alone
	probing sync.WaitGroup

	changeMu sync.Mutex // serializes Changed with the change of away

	mu     sync.Mutex // guards leases and closed
	leases *simplelru.LRU[bucket[string], *lease]
	closed bool
}

// lease is what this node holds of one bucket.
type lease struct {
	bucket[string]

	mu      sync.Mutex // guards the rest, and is held while the server is asked
	tokens  int
	batch   int       // how many to ask for next
	taken   time.Time // when tokens were leased
	emptyAt time.Time // the server refused; zero when it did not
	wait    time.Duration
}

// NewRedis returns a limiter over the server at opts.URL. It does not connect:
// the first Take does. The error never quotes the URL, which may hold a
// password.
func NewRedis(opts RedisOptions) (*Redis, error) {
	opts.Timeout = cmp.Or(opts.Timeout, DefaultTimeout)
	opts.Retry = cmp.Or(opts.Retry, DefaultRetry)
	client, err := redisconn.New(opts.URL, opts.Timeout)
	if err != nil {
		return nil, err
	}
	return &Redis{
		opts:     opts,
		client:   client,
		limiter:  redis_rate.NewLimiter(client),
		fallback: NewLocal[string](opts.Size, opts.Now),
		leases:   newLRU[bucket[string], *lease](opts.Size),
	}, nil
}

// Take implements Limiter.
func (r *Redis) Take(ctx context.Context, key string, limit Limit) time.Duration {
	if r.away.Load() {
		r.lookAgain()
		return r.fallback.Take(ctx, key, limit)
	}
	wait, err := r.lease(bucket[string]{key, limit}).take(ctx, r)
	if err != nil {
		return r.fallback.Take(ctx, key, limit)
	}
	return wait
}

// Away reports whether the server did not answer when it was last asked.
func (r *Redis) Away() bool { return r.away.Load() }

// Close frees what the limiter holds. Take must not be called after it.
func (r *Redis) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.probing.Wait()
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("closing the connections to Redis: %w", err)
	}
	return nil
}

func (r *Redis) lease(name bucket[string]) *lease {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.leases.Get(name)
	if !ok {
		l = &lease{bucket: name, batch: 1}
		r.leases.Add(name, l)
	}
	return l
}

// take takes a token of the lease, or asks the server for more.
func (l *lease) take(ctx context.Context, r *Redis) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := r.opts.Now()
	if l.tokens > 0 && now.Sub(l.taken) < leaseTime {
		l.tokens--
		return 0, nil
	}
	if left := l.wait - now.Sub(l.emptyAt); !l.emptyAt.IsZero() && left > 0 {
		return left, nil
	}
	if r.away.Load() { // it went while this call waited for its turn
		return 0, errAway
	}
	l.resize(now)
	allowed, wait, err := r.ask(ctx, l.bucket, l.batch)
	if err != nil {
		return 0, err
	}
	if allowed == 0 {
		l.emptyAt, l.wait = now, max(wait, 1)
		return l.wait, nil
	}
	l.tokens, l.taken, l.emptyAt = allowed-1, now, time.Time{}
	return 0, nil
}

// How tokens are leased.
const (
	// leaseTime is how long leased tokens are kept. Those that are left then
	// are lost to the key; there are few, for the batch follows the use.
	leaseTime = time.Second
	// busyTime is how quickly a batch must be used up to be doubled.
	busyTime = 100 * time.Millisecond
	maxBatch = 64
)

// resize chooses the next batch: at most a tenth of the burst, so that one
// node can't take the bucket away from the others.
func (l *lease) resize(now time.Time) {
	if l.tokens > 0 || now.Sub(l.taken) > busyTime {
		l.batch = 1
		return
	}
	l.batch = max(1, min(2*l.batch, l.limit.Burst/10, maxBatch))
}

var errAway = errors.New("Redis is not reachable")

// ask leases at most n tokens. An error means that the server is away; a
// caller that gave up says nothing about the server, so it is asked without
// the caller's cancellation.
func (r *Redis) ask(ctx context.Context, b bucket[string], n int) (int, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.Timeout)
	defer cancel()
	limit := redis_rate.Limit{Rate: b.limit.Rate, Burst: b.limit.Burst, Period: b.limit.Per}
	// The server keeps a bucket as a point in time, which means something else
	// under another limit.
	name := fmt.Sprintf("svc:%s:%d:%d:%s", b.key, b.limit.Rate, b.limit.Burst, b.limit.Per)
	result, err := r.limiter.AllowAtMost(ctx, name, limit, n)
	if err != nil {
		r.change(err)
		return 0, 0, err
	}
	return result.Allowed, result.RetryAfter, nil
}

// change records that the server is lost, or back when err is nil, and tells
// so once.
func (r *Redis) change(err error) {
	r.changeMu.Lock()
	defer r.changeMu.Unlock()
	r.askAt.Store(r.opts.Now().Add(r.opts.Retry).UnixNano())
	if r.away.Swap(err != nil) != (err != nil) && r.opts.Changed != nil {
		r.opts.Changed(err)
	}
}

// lookAgain asks the server, in the background and once per retry time,
// whether it is back.
func (r *Redis) lookAgain() {
	at := r.askAt.Load()
	now := r.opts.Now()
	if now.UnixNano() < at || !r.askAt.CompareAndSwap(at, now.Add(r.opts.Retry).UnixNano()) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.probing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), r.opts.Timeout)
		defer cancel()
		if r.client.Ping(ctx).Err() == nil {
			r.change(nil)
		}
	})
}

// Interface guards
var _ Limiter = (*Redis)(nil)

package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
)

// RateLimit is how many requests may come: so many a second on average, and
// so many at once.
type RateLimit struct {
	// Requests a second. 0 means no limit.
	PerSecond int `json:"per_second"`

	// Requests at once. Default: twice per_second.
	Burst int `json:"burst,omitempty"`
}

// maxRate bounds both numbers of a RateLimit.
const maxRate = 1_000_000

func (l *RateLimit) validate(name string) error {
	if l.PerSecond < 0 || l.PerSecond > maxRate || l.Burst < 0 || l.Burst > maxRate {
		return fmt.Errorf("%s: both numbers must be from 0 to %d, are %d and %d", name, maxRate, l.PerSecond, l.Burst)
	}
	return nil
}

func (l *RateLimit) limit() rate.Limit {
	burst := l.Burst
	if burst == 0 {
		burst = 2 * l.PerSecond
	}
	return rate.PerSecond(l.PerSecond, burst)
}

// How much is remembered, at least; at most it is twice that.
const (
	ratedKeys      = 20_000 // buckets of API keys
	ratedAddresses = 20_000 // buckets of client addresses
	knownKeys      = 50_000 // keys that are no strangers
)

// allRates holds the state of request rates for each Redis server, and for
// none. It is kept over reloads.
var allRates = caddy.NewUsagePool()

// rates is what is known about request rates on this node.
type rates struct {
	keys     rate.Limiter // per key id: on all nodes together when there is a Redis
	failures *rate.Local  // per client address: keys that no one has
	known    *rate.Known[api.KeyHash]
	lookUps  gateway.Places             // of strangers at suspect addresses
	logger   atomic.Pointer[zap.Logger] // of the last configuration: the others' may be closed
}

// openRates returns the state that goes with a Redis server, "" for none. It
// connects to nothing. Every call needs one allRates.Delete(redis).
func openRates(redis string, logger *zap.Logger) (*rates, error) {
	opened, _, err := allRates.LoadOrNew(redis, func() (caddy.Destructor, error) {
		r := &rates{
			keys:     rate.NewLocal(ratedKeys, time.Now),
			failures: rate.NewLocal(ratedAddresses, time.Now),
			known:    rate.NewKnown[api.KeyHash](knownKeys),
		}
		if redis == "" {
			return r, nil
		}
		shared, err := rate.NewRedis(rate.RedisOptions{URL: redis, Size: ratedKeys, Now: time.Now, Changed: r.redisChanged})
		if err != nil {
			return nil, fmt.Errorf("option redis: %w", err)
		}
		r.keys = shared
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	r := opened.(*rates)
	r.logger.Store(logger)
	return r, nil
}

// Destruct closes the state when no configuration uses it any more.
func (r *rates) Destruct() error {
	metrics.rateFallback.Set(0)
	return r.keys.Close()
}

// redisChanged is told when Redis is lost, with the error, and when it is back.
func (r *rates) redisChanged(lost error) {
	if lost != nil {
		metrics.rateFallback.Set(1)
		r.logger.Load().Warn("redis does not answer, request rates are limited per node", zap.Error(lost))
		return
	}
	metrics.rateFallback.Set(0)
	r.logger.Load().Info("redis answers again, request rates are shared")
}

// formOfRates says how the rates that go with a Redis server are counted now:
// local, shared or fallback.
func formOfRates(redis string) string {
	form := "local"
	allRates.Range(func(key, value any) bool {
		if key != redis {
			return true
		}
		if shared, ok := value.(*rates).keys.(*rate.Redis); ok {
			form = "shared"
			if shared.Away() {
				form = "fallback"
			}
		}
		return false
	})
	return form
}

// spend takes one request from the key's rate, or returns the 503: the
// specification closes the list of limits that answer 429.
func (r *rates) spend(ctx context.Context, keyID string, l *RateLimit) *api.Error {
	if l.PerSecond == 0 {
		return nil
	}
	wait := r.keys.Take(ctx, keyID, l.limit())
	if wait == 0 {
		return nil
	}
	metrics.rateLimited.WithLabelValues(limitedKey).Inc()
	return api.Unavailable("Too many requests with this API key. Slow down.", wait, nil)
}

// How many keys of strangers are looked up at once that come from addresses which
// sent many keys that no one has.
const (
	lookUpsOfAddress = 4
	lookUpsInAll     = 64
)

// suspect takes part in the look-up of a key whose address sent many keys that no
// one has: there are few such look-ups at once, so that guessing costs the store
// little. done must be called after it. A key that this node has seen before is no
// stranger, and a good one that it has not is never taken for a bad one.
func (r *rates) suspect(req *http.Request, address string, hash api.KeyHash, l *RateLimit) (done func(), refused *api.Error) {
	if l.PerSecond == 0 || r.failures.Wait(address, l.limit()) == 0 || r.known.Has(hash) {
		return func() {}, nil
	}
	done, full := r.lookUps.Enter(clientIP(req), gateway.PlaceBounds{All: lookUpsInAll, PerAddress: lookUpsOfAddress}, func() bool { return false })
	if full == "" {
		return done, nil
	}
	metrics.rateLimited.WithLabelValues(limitedAddress).Inc()
	return nil, api.Unavailable("Many unknown API keys come from this address. This one can't be checked right now.", time.Second, nil)
}

// learn counts the outcome of a look-up: known for a key that exists, in
// whatever state.
func (r *rates) learn(ctx context.Context, address string, hash api.KeyHash, known bool, l *RateLimit) {
	switch {
	case l.PerSecond == 0:
	case known && !r.known.Has(hash):
		r.known.Add(hash)
	case !known:
		r.failures.Take(ctx, address, l.limit())
	}
}

// clientIP is Caddy's idea of the client's address, not valid where it has none.
func clientIP(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	address, _ := netip.ParseAddr(text)
	return address
}

// clientAddress is what failed keys are counted by: Caddy's idea of the
// client's address, of IPv6 the /64 that one client usually has.
func clientAddress(r *http.Request) string {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	address, err := netip.ParseAddr(text)
	if err != nil {
		return text // a Unix socket has none: its clients share a bucket
	}
	if address.Is4() {
		return text
	}
	if address.Is4In6() {
		return address.Unmap().String()
	}
	prefix, err := address.WithZone("").Prefix(64)
	if err != nil {
		return text
	}
	return prefix.String()
}

// Interface guards
var _ caddy.Destructor = (*rates)(nil)

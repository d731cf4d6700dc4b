package caddymodule

import (
	"cmp"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
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

// readRate reads a rate and, where it is given, a burst.
func readRate(dst **RateLimit) block.Reader {
	return func(c *block.Cursor) error {
		args, limit := c.Args(), new(RateLimit)
		*dst = limit
		if len(args) == 1 && args[0] == "off" {
			return nil
		}
		if len(args) < 1 || len(args) > 2 {
			return c.Errorf(" takes requests a second and a burst, or \"off\"; got %d arguments", len(args))
		}
		for i, dst := range []*int{&limit.PerSecond, &limit.Burst}[:len(args)] {
			n, err := strconv.Atoi(args[i])
			if err != nil || n < 1 || n > maxRate {
				return c.Errorf(": %q is not a number from 1 to %d", args[i], maxRate)
			}
			*dst = n
		}
		return nil
	}
}

func (l *RateLimit) validate(name string) error {
	if l.PerSecond < 0 || l.PerSecond > maxRate || l.Burst < 0 || l.Burst > maxRate {
		return fmt.Errorf("%s: both numbers must be from 0 to %d, are %d and %d", name, maxRate, l.PerSecond, l.Burst)
	}
	return nil
}

func (l *RateLimit) limit() rate.Limit {
	return rate.PerSecond(l.PerSecond, cmp.Or(l.Burst, 2*l.PerSecond))
}

// allRates holds the state of request rates for each Redis server, and for
// none. It is kept over reloads.
var allRates = caddy.NewUsagePool()

// rates is what is known about request rates on this node.
type rates struct {
	*gateway.Rates
	shared *rate.Redis                // counts keys on all nodes together; nil without a Redis
	logger atomic.Pointer[zap.Logger] // of the last configuration: the others' may be closed
}

// openRates returns the state that goes with a Redis server, "" for none. It
// connects to nothing. Every call needs one allRates.Delete(redis).
func openRates(redis string, logger *zap.Logger) (*rates, error) {
	opened, _, err := allRates.LoadOrNew(redis, func() (caddy.Destructor, error) {
		r := new(rates)
		if redis == "" {
			r.Rates = gateway.NewRates(rate.NewLocal[string](gateway.RatedKeys, time.Now), time.Now)
			return r, nil
		}
		shared, err := rate.NewRedis(rate.RedisOptions{URL: redis, Size: gateway.RatedKeys, Now: time.Now, Changed: r.redisChanged})
		if err != nil {
			return nil, fmt.Errorf("option redis: %w", err)
		}
		r.Rates, r.shared = gateway.NewRates(shared, time.Now), shared
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
	if r.shared == nil {
		return nil
	}
	return r.shared.Close()
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
		if shared := value.(*rates).shared; shared != nil {
			form = "shared"
			if shared.Away() {
				form = "fallback"
			}
		}
		return false
	})
	return form
}

// Interface guards
var _ caddy.Destructor = (*rates)(nil)

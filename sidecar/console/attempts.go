package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often one address may try to sign in, all addresses of one network, and all
// there are with an OpenID provider, which is asked each time.
const (
	triesPerMinute        = 10
	networkTriesPerMinute = 60
	allTriesPerMinute     = 600
	maxOrigins            = 10_000
)

// attempts limits how often signing in is tried. A link's code has 256 bits, and
// a wrong one costs a look at the store: whoever has a good one is kept waiting
// by nobody but neighbours.
type attempts struct {
	now func() time.Time

	mu        sync.Mutex // guards the following fields
	addresses origins
	networks  origins
	all       *rate.Limiter
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{
		now: now, all: perMinute(allTriesPerMinute),
		addresses: origins{triesPerMinute, make(map[netip.Prefix]*rate.Limiter)},
		networks:  origins{networkTriesPerMinute, make(map[netip.Prefix]*rate.Limiter)},
	}
}

func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// allow reports whether the request's address may try.
func (a *attempts) allow(r *http.Request) bool {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	address, network := origin(r.RemoteAddr)
	return a.addresses.allow(now, address) && a.networks.allow(now, network)
}

// allowAsking is allow for what a provider is asked for.
func (a *attempts) allowAsking(r *http.Request) bool { return a.allow(r) && a.all.AllowN(a.now(), 1) }

// origins limits each of many by itself.
type origins struct {
	limit int // tries per minute
	per   map[netip.Prefix]*rate.Limiter
}

func (o *origins) allow(now time.Time, from netip.Prefix) bool {
	limiter := o.per[from]
	if limiter == nil {
		if len(o.per) >= maxOrigins {
			o.forget(now)
		}
		limiter = perMinute(o.limit)
		o.per[from] = limiter
	}
	return limiter.AllowN(now, 1)
}

// forget drops those that have not tried for a while, or all: memory is bounded,
// and nobody is locked out for others.
func (o *origins) forget(now time.Time) {
	for from, limiter := range o.per {
		if limiter.TokensAt(now) >= float64(o.limit) {
			delete(o.per, from)
		}
	}
	if len(o.per) >= maxOrigins {
		clear(o.per)
	}
}

// origin returns what counts as one address and as its network: for IPv6 the /64
// that one subscriber has and the /48 that one can be given, for IPv4 the address
// and its /24.
func origin(remote string) (address, network netip.Prefix) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return netip.Prefix{}, netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits, wide := 32, 24
	if ip.Is6() {
		bits, wide = 64, 48
	}
	address, _ = ip.Prefix(bits) // all four lengths are possible
	network, _ = ip.Prefix(wide)
	return address, network
}

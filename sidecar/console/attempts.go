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
	maxBounded            = 10_000
)

// previewRate and previewBurst bound the files of one preview or share, a second and at
// once: whoever has the link may ask, and each file is a decision.
const (
	previewRate  = 100
	previewBurst = 1000
)

// attempts limits how often signing in is tried. A link's code has 256 bits, and
// a wrong one costs a look at the store: whoever has a good one is kept waiting
// by nobody but neighbours.
type attempts struct {
	now func() time.Time

	mu        sync.Mutex // guards the following fields
	addresses bounds[netip.Prefix]
	networks  bounds[netip.Prefix]
	all       *rate.Limiter
	previews  bounds[string] // by code
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{
		now: now, all: perMinute(allTriesPerMinute),
		addresses: boundsOf[netip.Prefix](func() *rate.Limiter { return perMinute(triesPerMinute) }),
		networks:  boundsOf[netip.Prefix](func() *rate.Limiter { return perMinute(networkTriesPerMinute) }),
		previews:  boundsOf[string](func() *rate.Limiter { return rate.NewLimiter(previewRate, previewBurst) }),
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

// allowFile reports whether another file of a preview may be asked for.
func (a *attempts) allowFile(code string) bool {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.previews.allow(now, code)
}

// bounds limits each of many by itself.
type bounds[K comparable] struct {
	each func() *rate.Limiter
	per  map[K]*rate.Limiter
}

func boundsOf[K comparable](each func() *rate.Limiter) bounds[K] {
	return bounds[K]{each, make(map[K]*rate.Limiter)}
}

func (b *bounds[K]) allow(now time.Time, of K) bool {
	limiter := b.per[of]
	if limiter == nil {
		if len(b.per) >= maxBounded {
			b.forget(now)
		}
		limiter = b.each()
		b.per[of] = limiter
	}
	return limiter.AllowN(now, 1)
}

// forget drops those that have not tried for a while, or all: memory is bounded,
// and nobody is locked out for others.
func (b *bounds[K]) forget(now time.Time) {
	for of, limiter := range b.per {
		if limiter.TokensAt(now) >= float64(limiter.Burst()) {
			delete(b.per, of)
		}
	}
	if len(b.per) >= maxBounded {
		clear(b.per)
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

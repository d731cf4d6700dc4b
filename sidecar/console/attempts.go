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

// How often one address may try to sign in, and all addresses together.
const (
	triesPerMinute    = 10
	allTriesPerMinute = 600
	maxAddresses      = 10_000
)

// attempts limits how often signing in is tried. A code has 256 bits; the
// limit keeps a guesser from costing us anything.
type attempts struct {
	now func() time.Time
	all *rate.Limiter

	mu  sync.Mutex
	per map[netip.Prefix]*rate.Limiter
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, all: perMinute(allTriesPerMinute), per: make(map[netip.Prefix]*rate.Limiter)}
}

func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// allow reports whether the request's address may try.
func (a *attempts) allow(r *http.Request) bool {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	from := network(r.RemoteAddr)
	limiter := a.per[from]
	if limiter == nil {
		if len(a.per) >= maxAddresses {
			a.forget(now)
		}
		limiter = perMinute(triesPerMinute)
		a.per[from] = limiter
	}
	return limiter.AllowN(now, 1) && a.all.AllowN(now, 1)
}

// forget drops the addresses that have not tried for a while, or all: then the
// common limit holds.
func (a *attempts) forget(now time.Time) {
	for from, limiter := range a.per {
		if limiter.TokensAt(now) >= triesPerMinute {
			delete(a.per, from)
		}
	}
	if len(a.per) >= maxAddresses {
		clear(a.per)
	}
}

// network is what counts as one address: for IPv6 the /64 that one subscriber
// has.
func network(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	prefix, _ := ip.Prefix(bits) // both lengths are possible
	return prefix
}

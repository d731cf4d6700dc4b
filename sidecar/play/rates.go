package play

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// What may be asked for in a minute. A school is one address.
const (
	maxPerAddress = 1200
	maxPerStream  = 30
	maxPerGame    = 60_000
	maxShown      = 6000 // pages and files of games, of an address
)

// maxRated bounds how many addresses and games, and how many streams, are counted in a minute:
// past it these begin anew, which lets more through, and costs no memory. Streams, of which
// anybody has as many as they like, begin nobody else's anew.
const maxRated = 200_000

// Rates counts requests of addresses, streams and games, by the minute. Addresses are kept in
// memory alone, and no longer. It is safe for concurrent use.
type Rates struct {
	now func() time.Time

	mu      sync.Mutex // guards the following fields
	minute  time.Time
	counts  map[string]int
	streams map[string]int
}

// NewRates returns one that has counted nothing.
func NewRates(now func() time.Time) *Rates { return &Rates{now: now} }

// take counts a request of somebody who may have so many a minute, and returns how long
// to wait when that is one too many.
func (r *Rates) take(who string, most int) time.Duration { return r.takeOf(&r.counts, who, most) }

// takeStream is take for a request of a game's stream. One that is too much for the game is
// none of the stream's.
func (r *Rates) takeStream(game, stream string) time.Duration {
	if wait := r.take("game "+game, maxPerGame); wait > 0 {
		return wait
	}
	return r.takeOf(&r.streams, game+stream, maxPerStream)
}

func (r *Rates) takeOf(counts *map[string]int, who string, most int) time.Duration {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(r.minute) {
		r.minute, r.counts, r.streams = minute, nil, nil
	}
	if *counts == nil || len(*counts) >= maxRated {
		*counts = make(map[string]int)
	}
	if (*counts)[who] >= most {
		return r.minute.Add(time.Minute).Sub(now)
	}
	(*counts)[who]++
	return 0
}

// addressOf names whose request it is: of IPv6 a /64 is one customer's.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if address = address.Unmap(); address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}

package play

import (
	"hash/maphash"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// What may be asked for in a minute. A school is one address.
const (
	maxPerAddress = 1200
	maxPerStream  = 30
	maxPerGame    = 60_000
	maxShown      = 6000 // pages and files of games, of an address
	maxBoards     = 6000 // looks at a game's board, but for those that were answered just before
)

// maxRated bounds how many of one kind are counted in a minute. Past it addresses that come
// share what shares of them may have, and streams, of which anybody has as many as they like,
// are those of their game alone.
const (
	maxRated = 200_000
	shares   = 1000
)

// kind is of what requests are counted, each apart: a flood of one frees no other.
type kind int

const (
	ofAddress kind = iota // what it reports
	ofShown
	ofAsked
	ofGame
	ofBoard
	ofStream
	kinds
)

// Rates counts requests by the minute. Addresses are kept in memory alone, and no longer. It
// is safe for concurrent use.
type Rates struct {
	now  func() time.Time
	seed maphash.Seed // nobody knows who shares with them

	mu     sync.Mutex // guards the following fields
	minute time.Time
	counts [kinds]map[string]int
}

// NewRates returns one that has counted nothing.
func NewRates(now func() time.Time) *Rates { return &Rates{now: now, seed: maphash.MakeSeed()} }

// takeStream is take for a request of a game's stream. One that is too much for the game is
// none of the stream's.
func (r *Rates) takeStream(game, stream string) time.Duration {
	if wait := r.take(ofGame, game, maxPerGame); wait > 0 {
		return wait
	}
	return r.take(ofStream, game+stream, maxPerStream)
}

// take counts a request of somebody who may have so many a minute, and returns how long
// to wait when that is one too many.
func (r *Rates) take(of kind, who string, most int) time.Duration {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(r.minute) {
		r.minute, r.counts = minute, [kinds]map[string]int{}
	}
	counts := r.counts[of]
	if counts == nil {
		counts = make(map[string]int)
		r.counts[of] = counts
	}
	if _, there := counts[who]; !there && len(counts) >= maxRated {
		if of == ofStream {
			return 0
		}
		who = strconv.FormatUint(maphash.String(r.seed, who)%shares, 10)
	}
	if counts[who] >= most {
		return r.minute.Add(time.Minute).Sub(now)
	}
	counts[who]++
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

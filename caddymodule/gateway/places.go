package gateway

import (
	"net/netip"
	"sync"
)

// Rooms that a client may find full, as they stand in metrics.
const (
	RoomAll     = "gateway"
	RoomAddress = "address"
)

// Places counts what clients have at once of something that there is little of:
// connections, which take files, or look-ups of keys. The zero Places has all free.
// It is safe for concurrent use.
type Places struct {
	mu    sync.Mutex // guards the following fields
	taken int
	of    map[netip.Addr]int
}

// PlaceBounds is how many places there are; 0 stands for no bound.
type PlaceBounds struct {
	All        int
	PerAddress int // of one client address, of IPv6 a /64
}

// Enter takes a place for a client. It returns the room that is full, or "" and what
// gives the place back. trusted says whether an address that has as many as it may
// is one of a proxy, behind which there are many clients. An address that is not
// valid, like that of a Unix socket, has no bound of its own.
func (p *Places) Enter(from netip.Addr, bounds PlaceBounds, trusted func() bool) (leave func(), full string) {
	who := clientOf(from)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case bounds.All > 0 && p.taken >= bounds.All:
		return nil, RoomAll
	case bounds.PerAddress > 0 && who.IsValid() && p.of[who] >= bounds.PerAddress && !trusted():
		return nil, RoomAddress
	}
	if p.of == nil {
		p.of = make(map[netip.Addr]int)
	}
	p.taken++
	p.of[who]++
	return sync.OnceFunc(func() { p.left(who) }), ""
}

func (p *Places) left(who netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.of[who]--; p.of[who] == 0 {
		delete(p.of, who)
	}
}

// Len returns how many are taken.
func (p *Places) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

package streams

import "fmt"

// Bounds is how many streams may be open at once. 0 means no bound.
type Bounds struct {
	PerKey int // of one key, or of one user without a key
	All    int
}

// Room is what a stream found no room in.
type Room string

// The rooms.
const (
	RoomKey     Room = "key"
	RoomGateway Room = "gateway"
)

// FullError is the error of a stream for which there is no room.
type FullError struct {
	Room Room
	Most int // streams that it has room for
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%d event streams are open, which is as many as the %s may have", e.Most, e.Room)
}

// check returns the error of one stream more, where a key has so many and all have
// so many.
func (b Bounds) check(key, all int) error {
	switch {
	case b.PerKey > 0 && key >= b.PerKey:
		return &FullError{RoomKey, b.PerKey}
	case b.All > 0 && all >= b.All:
		return &FullError{RoomGateway, b.All}
	}
	return nil
}

// Limit sets the bounds of streams that are opened from now on. Those that are
// open go on, and count.
func (g *Registry) Limit(b Bounds) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bounds = b
}

package driverkit

import "io"

// Tail keeps the last bytes that were written to it.
type Tail struct {
	Limit int64
	Kept  []byte // at most Limit
}

func (t *Tail) Write(p []byte) (int, error) {
	t.Kept = append(t.Kept, p...)
	if over := int64(len(t.Kept)) - t.Limit; over > 0 {
		t.Kept = append(t.Kept[:0], t.Kept[over:]...)
	}
	return len(p), nil
}

// Interface guards
var _ io.Writer = (*Tail)(nil)

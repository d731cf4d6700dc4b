package joblog

// window holds the newest events of a log. Events are counted from 0 in the order in
// which they came, whatever their ids are.
type window struct {
	events []Event
	first  uint64 // number of events[0]
	begin  uint64 // number of the first event after the last reset
	base   uint64 // id that stands before the first event which can be read, of those after the last reset
	last   uint64 // id at the end
	bytes  int
}

// newWindow returns the window of a log that is read after an id.
func newWindow(after uint64) window { return window{base: after, last: after} }

func (w *window) end() uint64 { return w.first + uint64(len(w.events)) }

// keepsFrom returns the number of the oldest event that is kept once e is added.
func (w *window) keepsFrom(e Event) uint64 {
	n, bytes := 0, w.bytes+len(e.Block)
	for n < len(w.events) && (len(w.events)-n+1 > maxEvents || bytes > maxBytes) {
		bytes -= len(w.events[n].Block)
		n++
	}
	return w.first + uint64(n)
}

// add appends an event, unless it is one that was there already, and forgets the
// oldest ones that have no more room.
func (w *window) add(e Event) (added bool) {
	switch {
	case e.Reset:
		w.base, w.last, w.begin = 0, 0, w.end()+1
	case e.ID != 0 && e.ID <= w.last:
		return false
	case e.ID != 0:
		w.last = e.ID
	}
	w.events = append(w.events, e)
	w.bytes += len(e.Block)
	for len(w.events) > maxEvents || w.bytes > maxBytes && len(w.events) > 1 {
		w.drop()
	}
	return true
}

func (w *window) drop() {
	oldest := &w.events[0]
	if oldest.ID != 0 && w.first >= w.begin {
		w.base = oldest.ID
	}
	w.bytes -= len(oldest.Block)
	*oldest = Event{} // the block goes with it
	w.events = w.events[1:]
	w.first++
}

// find returns the number of the event that follows an id, if the window can say.
func (w *window) find(after uint64) (number uint64, ok bool) {
	if after < w.base || after > w.last {
		return 0, false
	}
	number = max(w.first, w.begin)
	for n := number; n < w.end(); n++ {
		switch id := w.events[n-w.first].ID; {
		case id > after:
			return number, true
		case id != 0:
			number = n + 1
		}
	}
	return number, true
}

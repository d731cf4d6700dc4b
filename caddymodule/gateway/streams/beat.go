package streams

import (
	"time"

	"github.com/svc-games/svc/api/sse"
)

// Beat keeps the stream alive in its source's place. It begins one that no source
// has answered after a while, and writes a comment whenever the client has had
// nothing for sse.DefaultHeartbeat: a source may be a process that is stopped, to
// which one connects and which never says a word. Once stop has returned nothing
// is written any more, so that the handler may return.
func (w *Writer) Beat(after time.Duration) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beat = time.AfterFunc(after, w.fillSilence)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.beat.Stop()
		w.beat = nil
	}
}

// fillSilence is called when the client may have waited long enough.
func (w *Writer) fillSilence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.beat == nil || w.ended || w.complete {
		return
	}
	next := sse.DefaultHeartbeat
	var err error
	switch silent := time.Since(w.last); {
	case w.sent == 0:
		err = w.begin()
	case silent < next:
		next -= silent
	case w.gate == nil || w.gate.Fresh(): // else delivery pauses
		err = w.say(": hb\n\n")
	}
	if err == nil { // else the client left
		w.beat.Reset(next)
	}
}

package streams

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
)

var blockEnd = []byte("\n\n")

// maxBlock bounds what is held back of an event that is not complete, in
// bytes: an event has at most api.MaxEventData and its envelope.
const maxBlock = 4 * api.MaxEventData

// Write passes whole events on and keeps the rest. It waits while the gate is
// closed.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.pass(); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return 0, errEnded
	}
	w.answer(http.StatusOK)
	if !w.stream {
		return 0, errNoStream
	}
	w.tail = append(w.tail, p...)
	if last := bytes.LastIndex(w.tail, blockEnd); last >= 0 {
		whole := last + len(blockEnd)
		w.note(w.tail[:whole])
		if w.complete && w.Final != nil {
			w.Final()
		}
		w.last = time.Now()
		if _, err := w.answers().Write(w.tail[:whole]); err != nil {
			return 0, err
		}
		w.tail = append(w.tail[:0], w.tail[whole:]...)
	}
	if len(w.tail) > maxBlock {
		return 0, errors.New("an event is longer than the contract allows")
	}
	return len(p), nil
}

// note remembers how far the client comes.
func (w *Writer) note(blocks []byte) {
	for line := range bytes.Lines(blocks) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if id, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			if n, err := strconv.ParseUint(string(id), 10, 64); err == nil {
				w.lastID = n
			}
		} else if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok && api.TerminalEvent(string(name)) {
			w.complete = true
		}
	}
}

// Resume prepares the stream to be taken up again by another source: half an
// event is dropped. It returns the id of the last event passed on, and false
// when there is nothing to take up: the stream is complete, ended, or none.
func (w *Writer) Resume() (lastID uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.header)
	w.answered, w.stream, w.tail = false, false, nil
	return w.lastID, w.sent == http.StatusOK && !w.complete && !w.ended
}

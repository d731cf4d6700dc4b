package streams

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
)

// What a source that writes gets when nobody will read it.
var (
	errEnded    = errors.New("the stream was ended")
	errNoStream = errors.New("the answer is not an event stream")
)

// endTimeout is how long a client that reads nothing can hold up the end of
// its stream.
const endTimeout = time.Second

// Gate says whether delivery may go on: while no one can tell which keys are
// revoked, it pauses.
type Gate interface {
	Fresh() bool
	AwaitFresh(ctx context.Context) error
}

// Writer passes an event stream on in whole events, so that it can be ended
// between any two. It has one source after another, each of which answers as if
// the client had asked it alone. Nothing but events passes: an engine is hostile,
// and its redirect, cookie or error would be taken for the service's own.
type Writer struct {
	// Final is called before the terminal event is passed on; nil for nothing.
	Final func()

	gate   Gate
	header http.Header            // of the source's answer
	to     atomic.Pointer[client] // changed with mu held

	mu       sync.Mutex // guards the following fields and the writing
	ctx      context.Context
	answered bool          // the source has
	stream   bool          // with events
	tail     []byte        // the beginning of an event
	sent     int           // the status that the client has, 0 before
	begun    chan struct{} // closed once there is one; nil while nobody waits
	ended    bool
	reason   string      // of the end
	lastID   uint64      // of the events passed on
	complete bool        // the terminal event is among them, or there are no more
	last     time.Time   // when the client was sent something
	beat     *time.Timer // nil unless the stream is kept alive
	detached *connection // nil while the server has the client's connection
}

// client is what a client is answered by.
type client struct{ http.ResponseWriter }

func (w *Writer) answers() http.ResponseWriter { return w.to.Load().ResponseWriter }

// NewWriter returns a writer of a stream to w. gate may be nil.
func NewWriter(ctx context.Context, w http.ResponseWriter, gate Gate) *Writer {
	out := &Writer{ctx: ctx, gate: gate, header: make(http.Header)}
	out.to.Store(&client{w})
	return out
}

// Context returns the context that ends with the stream, or when its client leaves.
func (w *Writer) Context() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ctx
}

// Header returns the header of the source's answer. The client's is another one.
func (w *Writer) Header() http.Header { return w.header }

// WriteHeader takes the status of the source's answer.
func (w *Writer) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer(status)
}

func (w *Writer) answer(status int) {
	if w.answered || status < http.StatusOK {
		return
	}
	w.answered = true
	if w.ended {
		return
	}
	kind, _, _ := mime.ParseMediaType(w.header.Get("Content-Type")) // "" for one that can't be read
	switch {
	case status == http.StatusNoContent:
		w.complete = true
		w.send(status)
	case status == http.StatusOK && kind == "text/event-stream":
		w.stream = true
		w.send(status)
	}
}

// send sends the client its header, once.
func (w *Writer) send(status int) {
	if w.sent != 0 {
		return
	}
	w.sent = status
	if w.begun != nil {
		close(w.begun)
		w.begun = nil
	}
	if status == http.StatusOK {
		sse.SetHeaders(w.answers().Header())
	}
	w.answers().WriteHeader(status)
}

// Begin begins a stream that has no source yet, unless it is begun or ended.
func (w *Writer) Begin() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent != 0 || w.ended {
		return nil
	}
	return w.begin()
}

// Comment writes a comment, which keeps a connection alive, between two sources.
func (w *Writer) Comment(text string) error {
	if err := w.pass(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return errEnded
	}
	return w.say(": " + text + "\n\n")
}

// say sends the client a block of our own at once.
func (w *Writer) say(block string) error {
	w.last = time.Now()
	if _, err := io.WriteString(w.answers(), block); err != nil {
		return err
	}
	return http.NewResponseController(w.answers()).Flush()
}

// Event passes one whole event on, of which the caller knows the id, 0 for none, and
// whether it is the job's last. It begins the stream if need be, and waits while the
// gate is closed. FlushError sends what was passed on.
func (w *Writer) Event(block []byte, id uint64, terminal bool) error {
	if err := w.pass(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return errEnded
	}
	if w.sent == 0 {
		w.send(http.StatusOK)
		if _, err := io.WriteString(w.answers(), sse.FirstBlock); err != nil {
			return err
		}
	}
	if id != 0 {
		w.lastID = id
	}
	if terminal {
		w.complete = true
		if w.Final != nil {
			w.Final()
		}
	}
	w.last = time.Now()
	_, err := w.answers().Write(block)
	return err
}

// Complete reports whether the terminal event was passed on, or there are no more.
func (w *Writer) Complete() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.complete
}

// pass waits while the gate is closed, and fails once nothing goes out any more.
func (w *Writer) pass() error {
	ctx := w.Context()
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.gate == nil || w.gate.Fresh() {
		return nil
	}
	return w.gate.AwaitFresh(ctx)
}

// Started reports whether the client has an answer.
func (w *Writer) Started() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent != 0
}

// Begun returns what is closed once the client has an answer, nil if it has.
func (w *Writer) Begun() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent == 0 && w.begun == nil {
		w.begun = make(chan struct{})
	}
	return w.begun
}

// FlushError passes what was written on to the client.
func (w *Writer) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended:
		return errEnded
	case w.sent == 0:
		return nil // else the client would get a header that no one chose
	}
	return http.NewResponseController(w.answers()).Flush()
}

// Hurry bounds a write that waits for a client which reads nothing. It waits for
// nothing itself.
func (w *Writer) Hurry() {
	// Caddy's own writers keep what is set of them beside what is written, which may be now.
	hurry(innermost(w.answers()))
}

func hurry(w http.ResponseWriter) {
	// Not every writer has deadlines; without one there is no such wait either.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(endTimeout))
}

// End tells the client why the stream ends, between two events. Whatever is
// written afterwards is refused.
func (w *Writer) End(reason string) {
	// One write may be under way, by who holds the lock: its time ends now, past Caddy's
	// writer, which gives each write its usual time again. The last write is another one.
	w.Hurry()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	hurry(w.answers())
	w.ended, w.reason = true, reason
	if w.sent == http.StatusOK && !w.complete {
		w.sayEnd()
	}
}

// Conclude makes a stream of an answer that was ended before it was begun: a
// browser gives up for good on what is none. The handler calls it when nothing
// else touches the header any more.
func (w *Writer) Conclude() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended || w.sent != 0 {
		return
	}
	if w.begin() == nil {
		w.sayEnd()
	}
}

// begin sends the header of a stream and its first block, which a source sends
// otherwise.
func (w *Writer) begin() error {
	w.send(http.StatusOK)
	return w.say(sse.FirstBlock)
}

func (w *Writer) sayEnd() {
	_ = w.say("event: " + api.StreamClosing +
		"\ndata: {\"type\":\"" + api.StreamClosing + "\",\"reason\":" + strconv.Quote(w.reason) + "}\n\n") // else the client left
}

// Ended reports whether End was called.
func (w *Writer) Ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// MustAbort reports whether the connection has to be cut, once all is written:
// the stream was ended before its job, and its client shall come back. Some
// clients take a body that ends as it should for the end of the job.
func (w *Writer) MustAbort() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended && !w.complete && comesBack(w.reason)
}

// Beat keeps the stream alive in its source's place. It begins one that no source
// has answered after a while, and writes a comment whenever the client has had
// nothing for sse.DefaultHeartbeat: a source may be a process that is stopped, to
// which one connects and which never says a word. Once stop has returned nothing
// is written any more, so that the handler may return. It may be called again.
func (w *Writer) Beat(after time.Duration) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beat = time.AfterFunc(after, w.fillSilence)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.beat != nil {
			w.beat.Stop()
			w.beat = nil
		}
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

// Detachable reports whether the stream of an answer that has not begun can be detached.
func Detachable(w http.ResponseWriter) bool {
	_, ok := innermost(w).(http.Hijacker)
	return ok
}

// innermost returns the server's own writer: a wrapper's connection would keep the
// wrapper, and by it the request.
func innermost(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
}

// Interface guards
var _ http.ResponseWriter = (*Writer)(nil)

package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-games/svc/api/answers"
)

// DefaultMaxBody is the largest request body, in bytes, unless configured.
const DefaultMaxBody = 8 << 20

// readBody reads the body of a request, at most limit bytes, once, and returns the
// 413, 415 or 400 that it deserves, or the 503 of one for which share has no room.
// Its media type is not looked at: the body is JSON or it is not.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, share *Share) ([]byte, *answers.Error) {
	// The bytes are read as they are; the JSON would be another one.
	for _, encoding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return nil, &answers.Error{Status: http.StatusUnsupportedMediaType, Message: "The body must not be encoded; send it without Content-Encoding."}
		}
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(share.Reader(http.MaxBytesReader(w, r.Body, limit), limit))
	if errors.Is(err, ErrBodies) {
		return nil, answers.Unavailable("Too many large bodies are being sent right now.", retrySoon, err)
	}
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, tooLarge(limit)
		}
		return nil, &answers.Error{Status: http.StatusBadRequest, Message: "The body could not be read.", Cause: err}
	}
	r.Header.Del("Expect") // the client waits for nothing any more
	return body, nil
}

// replaceBody makes body the body of r, complete and of known length: it was
// read, and what was said about it when it arrived no longer holds.
func replaceBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	r.Trailer = nil
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Del("Transfer-Encoding")
	r.Header.Del("Expect")
	r.Header.Del("Trailer")
	r.Header.Del("Content-Encoding")
}

func tooLarge(limit int64) *answers.Error {
	return &answers.Error{
		Status:  http.StatusRequestEntityTooLarge,
		Message: "The body is larger than " + strconv.FormatInt(limit, 10) + " bytes.",
	}
}

// Bounds of the request bodies that are in memory at once, in bytes. One body
// as large as it may be always has room.
const (
	maxBodiesOfUser = 64 << 20 // of the users who send them, each
	maxBodies       = 512 << 20
)

// ErrBodies means that there is no room for more of a body now.
var ErrBodies = errors.New("the memory for request bodies is used up")

// Bodies counts the request bodies in memory. The rate of requests does not
// bound them: a body may take a minute to arrive. A user's own bound keeps one
// from having the room of all. It is safe for concurrent use; its zero value
// counts none.
type Bodies struct {
	mu  sync.Mutex // guards the following fields and the shares
	all int64
	of  map[string]int64 // by user; without those who have none
}

// Share is what one request takes of the room for bodies. nil is a share of a
// room without bounds.
type Share struct {
	bodies *Bodies
	user   string
	size   int64
}

// Share returns the share of a user's request that has a body. Release gives it
// back.
func (b *Bodies) Share(user string) *Share {
	if b == nil {
		return nil
	}
	return &Share{bodies: b, user: user}
}

// take makes the share larger by n bytes of a body of at most limit, or returns
// ErrBodies.
func (s *Share) take(n int, limit int64) error {
	if s == nil || n == 0 {
		return nil
	}
	b := s.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	more := int64(n)
	if b.of[s.user]+more > max(maxBodiesOfUser, limit) || b.all+more > max(maxBodies, limit) {
		return ErrBodies
	}
	if b.of == nil {
		b.of = make(map[string]int64)
	}
	b.of[s.user] += more
	b.all += more
	s.size += more
	return nil
}

// Reader returns a body of at most limit bytes that takes the share as it is read. Its
// error is ErrBodies where there is no room for more.
func (s *Share) Reader(body io.Reader, limit int64) io.Reader {
	return counted{body: body, share: s, limit: limit}
}

// Release gives the share back when the body is no longer in memory.
func (s *Share) Release() {
	if s == nil || s.size == 0 {
		return
	}
	b := s.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= s.size
	if b.of[s.user] -= s.size; b.of[s.user] == 0 {
		delete(b.of, s.user)
	}
	s.size = 0
}

// counted is a body that takes its share as it arrives: what a client only
// announces keeps nobody else out.
type counted struct {
	body  io.Reader
	share *Share
	limit int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if full := c.share.take(n, c.limit); full != nil {
		return 0, full
	}
	return n, err
}

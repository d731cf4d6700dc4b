package peer

import (
	"context"
	"github.com/svc-games/svc/peer/span"
	"net/http"
)

// Headers that say for which request of a client a peer calls. A peer of an earlier
// version does not look at them.
const (
	requestIDHeader     = "X-Request-Id"
	requestIPHeader     = "Svc-Request-Ip"
	requestMethodHeader = "Svc-Request-Method"
	requestAgentHeader  = "Svc-Request-Agent"
)

// Bounds of what is taken from those headers, in bytes.
const (
	maxRequestID = 64
	maxFact      = 256
)

// Request is what a gateway knows of the request of a client for which it calls. A member
// that is not known is "".
type Request struct {
	ID        string // what the client knows it by
	IP        string // the client's address
	Method    string
	UserAgent string // what the client says it is, at most 256 bytes
}

type requestKey struct{}

// WithRequest returns a context of what is done for a client's request.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the client's request that something is done for, the zero Request
// where there is none.
func RequestOf(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r
}

// SetRequest sends the request that is in a context, and its trace, with a call, and no other.
func SetRequest(ctx context.Context, h http.Header) {
	r := RequestOf(ctx)
	for _, fact := range [...]struct{ header, value string }{
		{requestIDHeader, r.ID}, {requestIPHeader, r.IP}, {requestMethodHeader, r.Method}, {requestAgentHeader, r.UserAgent},
	} {
		if fact.value != "" {
			h.Set(fact.header, fact.value)
		} else {
			h.Del(fact.header)
		}
	}
	span.Inject(ctx, h)
}

// ReadRequest returns ctx with the request that came with a call, and its trace.
func ReadRequest(ctx context.Context, h http.Header) context.Context {
	ctx = span.Extract(ctx, h)
	r := Request{
		ID: bounded(h.Get(requestIDHeader), maxRequestID), IP: bounded(h.Get(requestIPHeader), maxFact),
		Method: bounded(h.Get(requestMethodHeader), maxFact), UserAgent: bounded(h.Get(requestAgentHeader), maxFact),
	}
	if r == (Request{}) {
		return ctx
	}
	return WithRequest(ctx, r)
}

// bounded returns a text that is not too long, else "".
func bounded(text string, most int) string {
	if len(text) > most {
		return ""
	}
	return text
}

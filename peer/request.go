package peer

import (
	"context"
	"net/http"
)

// requestIDHeader names the request of a client for whom a peer calls. A peer of an
// earlier version does not look at it.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// WithRequestID returns a context of what is done for a client's request.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns what the client knows its request by, "" where there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// SetRequestID sends the id that is in a context with a call, and no other.
func SetRequestID(ctx context.Context, h http.Header) {
	if id := RequestID(ctx); id != "" {
		h.Set(requestIDHeader, id)
		return
	}
	h.Del(requestIDHeader)
}

// ReadRequestID returns ctx with the id that came with a call.
func ReadRequestID(ctx context.Context, h http.Header) context.Context {
	id := h.Get(requestIDHeader)
	if id == "" || len(id) > 64 {
		return ctx
	}
	return WithRequestID(ctx, id)
}

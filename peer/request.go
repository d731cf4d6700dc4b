package peer

import (
	"context"
	"net/http"

	"github.com/svc-games/svc/api"
)

// requestIDHeader names the request of a client for whom a peer calls. A peer of an
// earlier version does not look at it.
const requestIDHeader = "X-Request-Id"

// SetRequestID sends the id that is in a context with a call, and no other.
func SetRequestID(ctx context.Context, h http.Header) {
	if id := api.RequestID(ctx); id != "" {
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
	return api.WithRequestID(ctx, id)
}

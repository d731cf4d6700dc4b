package peer

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer/span"
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

// maxMethod is how long a method may be; a client may send any word. No longer one is
// served.
const maxMethod = 16

// Request is what a gateway knows of the request of a client for which it calls. A member
// that is not known is "".
type Request struct {
	ID        string // what the client knows it by
	IP        string // the client's address
	Method    string
	UserAgent string // what the client says it is, at most 256 bytes
}

// NewRequest returns what the policy may know of a client's request. The address is written
// as the same one always is; of what the client says it is, no secret and nothing that
// can't be written in a line is left.
func NewRequest(id, address, method, userAgent string) Request {
	if len(method) > maxMethod {
		method = ""
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return Request{ID: id, Method: method, UserAgent: cleanUserAgent(userAgent)}
	}
	return Request{ID: id, IP: ip.Unmap().WithZone("").String(), Method: method, UserAgent: cleanUserAgent(userAgent)}
}

// cleanUserAgent cuts a text after what is whole of its first bytes, and masks keys.
func cleanUserAgent(text string) string {
	text = text[:min(len(text), 4*maxFact)] // a key that is cut is masked, too
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	masked := []byte(text)
	api.MaskKeys(masked)
	if len(masked) > maxFact {
		masked = masked[:maxFact]
		for !utf8.Valid(masked) {
			masked = masked[:len(masked)-1]
		}
	}
	return strings.TrimSpace(string(masked))
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

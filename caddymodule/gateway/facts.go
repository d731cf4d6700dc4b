package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
)

const (
	// maxUserAgent is how much of it the policy gets, in bytes.
	maxUserAgent = 256
	// maxMethod is how long a method may be; a client may send any word. No longer one
	// is served.
	maxMethod = 16
)

// Facts returns what the policy may know of a client's request. The address is written
// as the same one always is; of what the client says it is, no secret and nothing that
// can't be written in a line is left.
func Facts(id, address, method, userAgent string) peer.Request {
	if len(method) > maxMethod {
		method = ""
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return peer.Request{ID: id, Method: method, UserAgent: cleanUserAgent(userAgent)}
	}
	return peer.Request{ID: id, IP: ip.Unmap().WithZone("").String(), Method: method, UserAgent: cleanUserAgent(userAgent)}
}

// cleanUserAgent cuts a text after what is whole of its first bytes, and masks keys.
func cleanUserAgent(text string) string {
	text = text[:min(len(text), 4*maxUserAgent)] // a key that is cut is masked, too
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	masked := []byte(text)
	api.MaskKeys(masked)
	if len(masked) > maxUserAgent {
		masked = masked[:maxUserAgent]
		for !utf8.Valid(masked) {
			masked = masked[:len(masked)-1]
		}
	}
	return strings.TrimSpace(string(masked))
}

// factsOf returns those of a browser's request.
func factsOf(r *http.Request) peer.Request {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return Facts(peer.RequestOf(r.Context()).ID, host, r.Method, r.UserAgent())
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// retrySoon is the Retry-After of a 503 whose cause may pass at any moment.
const retrySoon = time.Second

// Auth finds out who sends a request.
type Auth struct {
	Sidecar    func(context.Context) (sidecar.Service, error) // waits until it is open
	Rates      *Rates
	Rate       rate.Limit // requests of a key; the zero Limit is none
	FailedRate rate.Limit // refused keys of a client; the zero Limit is none
	// Request returns what the policy may know of a client's request; nil: nothing.
	Request func(context.Context) peer.Request

	refused refusals
}

// Identify takes the key out of a request that a client sent, or looks at its stream
// token, and returns who holds it, or the refusal: 401, or 503 when the question can't
// be answered or is asked too often. A key that exists, but may not be used, comes back
// with the refusal.
func (a *Auth) Identify(r *http.Request, client netip.Addr) (*Request, *answers.Error) {
	if strings.Contains(r.URL.RawQuery, "token=") {
		if token, jobID, given := streamToken(r); given {
			return a.identifyReader(r, client, token, jobID)
		}
	}
	hash, refused := takeKey(r.Header)
	if refused != nil { // no key, or no one: there is nothing to decide on
		return nil, a.undecided(r.Context(), refused)
	}
	done, refused := a.Rates.suspect(client, hash, a.FailedRate)
	if refused != nil {
		return nil, a.undecided(r.Context(), refused)
	}
	defer done()
	q, refused := a.authenticate(r.Context(), hash)
	if refused == nil || refused.Status != http.StatusServiceUnavailable {
		a.Rates.learn(r.Context(), client, hash, refused == nil, a.FailedRate)
	}
	if refused != nil {
		return q, refused
	}
	return q, a.Rates.Spend(r.Context(), q.KeyID, a.Rate)
}

// authenticate finds out who holds a key, or why not. A key that may not be used, but
// exists, comes back with the refusal, for the log.
func (a *Auth) authenticate(ctx context.Context, hash mint.KeyHash) (*Request, *answers.Error) {
	service, err := a.Sidecar(ctx)
	if err != nil {
		return nil, answers.Unavailable("The service is starting.", time.Second, err)
	}
	id, err := service.Authenticate(ctx, hash)
	switch {
	case errors.Is(err, sidecar.ErrUnknownKey) && !id.Decision.Allow && id.Decision.Status != 0:
		return nil, refusal(id.Decision)
	case errors.Is(err, sidecar.ErrUnknownKey): // by a sidecar of an earlier version, or a policy that lets anyone in
		return nil, a.undecided(ctx, unauthorized(api.ReasonInvalid, "This API key is not valid."))
	case err != nil:
		return nil, answers.Unavailable("The API key can't be checked right now.", retrySoon, err)
	}
	q := &Request{KeyID: id.KeyID, UserID: id.UserID, Decision: id.Decision}
	if !id.Decision.Allow {
		return q, refusal(id.Decision)
	}
	return q, nil
}

// refusal is the answer to a request that the policy denied.
func refusal(d policy.Decision) *answers.Error {
	e := &answers.Error{Status: d.Status, Message: d.Error, Reason: d.Reason, Limit: d.Limit}
	if d.Limit != "" {
		e.RetryAfter = answers.LimitRetryAfter(d.Limit, time.Now())
	}
	return e
}

// noKey stands for what has not the form of a key: no key's hash is zero. The policy
// refuses it as it does a key that no one has.
var noKey mint.KeyHash

// takeKey reads the API key of a request and removes both key headers, so
// that nothing behind the gateway ever sees them. It returns the 401 of a
// missing key, of another scheme, and of two different keys. Beside X-API-Key the header
// Authorization counts only where it holds a key of ours: proxies add others.
func takeKey(h http.Header) (mint.KeyHash, *answers.Error) {
	bearer := h.Values("Authorization")
	plain := h.Values("X-Api-Key")
	h.Del("Authorization")
	h.Del("X-Api-Key")

	secrets := make([]string, 0, 2) // on the stack
	for _, v := range bearer {
		scheme, secret, _ := strings.Cut(v, " ")
		secret = strings.TrimSpace(secret)
		ours := strings.EqualFold(scheme, "Bearer")
		if len(plain) > 0 {
			if _, key := mint.ParseKey(secret); !ours || !key {
				continue
			}
		}
		if !ours {
			return mint.KeyHash{}, unauthorized(api.ReasonInvalid, "The Authorization header must be \"Bearer\" and an API key.")
		}
		secrets = append(secrets, secret)
	}
	secrets = append(secrets, plain...)
	if len(secrets) == 0 {
		return mint.KeyHash{}, unauthorized(api.ReasonMissing, "An API key is required.")
	}
	for _, s := range secrets[1:] {
		if s != secrets[0] {
			return mint.KeyHash{}, unauthorized(api.ReasonInvalid, "The request carries two different API keys.")
		}
	}
	if hash, ok := mint.ParseKey(secrets[0]); ok {
		return hash, nil
	}
	return noKey, nil
}

func unauthorized(reason, message string) *answers.Error {
	return &answers.Error{Status: http.StatusUnauthorized, Message: message, Reason: reason}
}

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
	mint.MaskKeys(masked)
	if len(masked) > maxUserAgent {
		masked = masked[:maxUserAgent]
		for !utf8.Valid(masked) {
			masked = masked[:len(masked)-1]
		}
	}
	return strings.TrimSpace(string(masked))
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// A browser's EventSource can set no header, and an API key never goes to a browser.
// Its server gets a stream token, which stands in the address: it opens the events of
// one job for a few minutes, as its key may, and nothing else.

// grantStream answers POST …/events/token.
func (l *Locator) grantStream(w http.ResponseWriter, r *http.Request, q *Request) error {
	token := mint.NewStreamToken()
	hash, _ := mint.ParseStreamToken(token)
	expires, err := l.Sidecar.GrantStream(r.Context(), hash, q.KeyID, q.Route.JobID)
	var refused *answers.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return answers.Unavailable("A stream token can't be made right now.", retrySoon, err)
	}
	return writeJSON(w, http.StatusCreated, api.StreamToken{Token: token, ExpiresAt: expires})
}

// streamToken returns the token of a request for events that has no key of ours, and
// the job whose events it asks for.
func streamToken(r *http.Request) (token, jobID string, given bool) {
	if r.Header.Get("X-Api-Key") != "" {
		return "", "", false
	}
	route, refused := MatchRoute(r.Method, r.URL.EscapedPath())
	if refused != nil || route.Action != policy.ActionEvents {
		return "", "", false
	}
	for _, v := range r.Header.Values("Authorization") { // proxies add others
		_, secret, _ := strings.Cut(v, " ")
		if _, key := mint.ParseKey(strings.TrimSpace(secret)); key {
			return "", "", false
		}
	}
	tokens := r.URL.Query()["token"]
	if len(tokens) != 1 {
		return "", route.JobID, len(tokens) > 1
	}
	return tokens[0], route.JobID, true
}

// refuseToken has the policy refuse a stream token that is none, is over or is of another
// job, as a key that no one has. Its text is about keys, and is not what a page needs.
func (a *Auth) refuseToken(ctx context.Context) *answers.Error {
	_, refused := a.authenticate(ctx, noKey)
	if refused == nil || refused.Status == http.StatusUnauthorized {
		return unauthorized(api.ReasonInvalid, "The stream token is not valid for this job, or no longer.")
	}
	return refused
}

// identifyReader returns whose stream token a request has, or the refusal, as Identify
// does for keys.
func (a *Auth) identifyReader(r *http.Request, client netip.Addr, token, jobID string) (*Request, *answers.Error) {
	r.Header.Del("Authorization")
	r.Header.Del("X-Api-Key")
	hash, ok := mint.ParseStreamToken(token)
	if !ok {
		hash = noKey // which no token has either
	}
	done, refused := a.Rates.suspect(client, hash, a.FailedRate)
	if refused != nil {
		return nil, a.undecided(r.Context(), refused)
	}
	defer done()
	service, err := a.Sidecar(r.Context())
	if err != nil {
		return nil, answers.Unavailable("The service is starting.", retrySoon, err)
	}
	grant, err := service.StreamGrant(r.Context(), hash)
	unknown := errors.Is(err, sidecar.ErrUnknownToken)
	if err != nil && !unknown {
		return nil, answers.Unavailable("The stream token can't be checked right now.", retrySoon, err)
	}
	if unknown || grant.JobID != jobID {
		a.Rates.learn(r.Context(), client, hash, false, a.FailedRate)
		return nil, a.refuseToken(r.Context())
	}
	d, err := service.Decide(r.Context(), grant.KeyID, "", policy.ActionAuthenticate)
	if err != nil {
		return nil, answers.Unavailable("The stream token can't be checked right now.", retrySoon, err)
	}
	a.Rates.learn(r.Context(), client, hash, d.Allow, a.FailedRate)
	q := &Request{KeyID: grant.KeyID, UserID: grant.UserID, Decision: d}
	if !d.Allow {
		return q, refusal(d)
	}
	return q, a.Rates.Spend(r.Context(), q.KeyID, a.Rate)
}

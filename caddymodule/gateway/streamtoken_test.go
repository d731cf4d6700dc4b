package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// tokenSidecar knows one stream token, of a job.
type tokenSidecar struct {
	fakeSidecar
	token   string
	refused int // as what is no key
}

func (f *tokenSidecar) StreamGrant(_ context.Context, hash mint.KeyHash) (sidecar.StreamGrant, error) {
	if known, _ := mint.ParseStreamToken(f.token); hash != known {
		return sidecar.StreamGrant{}, sidecar.ErrUnknownToken
	}
	return sidecar.StreamGrant{KeyID: "k", UserID: "u", JobID: jobID}, nil
}

func (f *tokenSidecar) Authenticate(_ context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	if hash == noKey {
		f.refused++
		return sidecar.Identity{Decision: policy.Decision{Status: 401, Error: "No such key.", Reason: api.ReasonInvalid}}, sidecar.ErrUnknownKey
	}
	return sidecar.Identity{KeyID: "of the header", Decision: allowed}, nil
}

func TestStreamTokenOpensTheEventsOfItsJobAndNothingElse(t *testing.T) {
	token, other, key := mint.NewStreamToken(), mint.NewStreamToken(), mint.NewKey()
	const another = "job_01JD0000000000000000000001"
	events := "/v1/generate/" + jobID + "/events"
	dead := policy.Decision{Status: 401, Reason: policy.KeyRevoked}
	for name, tc := range map[string]struct {
		method, address string
		header          http.Header
		decision        policy.Decision
		reason, keyID   string
	}{
		"its events":               {"GET", events + "?token=" + token, nil, allowed, "", "k"},
		"its events, HEAD":         {"HEAD", events + "?projectId=" + project + "&token=" + token, nil, allowed, "", "k"},
		"behind a proxy's header":  {"GET", events + "?token=" + token, http.Header{"Authorization": {"Basic x"}}, allowed, "", "k"},
		"a key comes first":        {"GET", events + "?token=" + token, http.Header{"X-Api-Key": {key}}, allowed, "", "of the header"},
		"a bearer key comes first": {"GET", events + "?token=" + token, http.Header{"Authorization": {"Bearer " + key}}, allowed, "", "of the header"},
		"its key is revoked":       {"GET", events + "?token=" + token, nil, dead, api.ReasonRevoked, "k"},
		"one no one has":           {"GET", events + "?token=" + other, nil, allowed, api.ReasonInvalid, ""},
		"junk":                     {"GET", events + "?token=stk-junk", nil, allowed, api.ReasonInvalid, ""},
		"an API key":               {"GET", events + "?token=" + key, nil, allowed, api.ReasonInvalid, ""},
		"two of them":              {"GET", events + "?token=" + token + "&token=" + token, nil, allowed, api.ReasonInvalid, ""},
		"another job's events":     {"GET", "/v1/generate/" + another + "/events?token=" + token, nil, allowed, api.ReasonInvalid, ""},
		"its status":               {"GET", "/v1/generate/" + jobID + "/status?token=" + token, nil, allowed, api.ReasonMissing, ""},
		"its files":                {"GET", "/v1/generate/" + jobID + "/files?token=" + token, nil, allowed, api.ReasonMissing, ""},
		"its end":                  {"DELETE", "/v1/generate/" + jobID + "?token=" + token, nil, allowed, api.ReasonMissing, ""},
		"a token of its own":       {"POST", events + "/token?token=" + token, nil, allowed, api.ReasonMissing, ""},
		"a POST of its events":     {"POST", events + "?token=" + token, nil, allowed, api.ReasonMissing, ""},
		"in a header":              {"GET", events, http.Header{"X-Api-Key": {token}}, allowed, api.ReasonInvalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &tokenSidecar{fakeSidecar: fakeSidecar{decision: tc.decision}, token: token}
			a := &Auth{
				Sidecar: func(context.Context) (sidecar.Service, error) { return f, nil },
				Rates:   NewRates(rate.NewLocal[string](1, time.Now), time.Now),
			}
			r := httptest.NewRequest(tc.method, tc.address, nil)
			for name, values := range tc.header {
				r.Header[name] = values
			}
			q, refused := a.Identify(r, netip.Addr{})
			if (refused == nil) != (tc.reason == "") || refused != nil && (refused.Status != 401 || refused.Reason != tc.reason) {
				t.Errorf("refused with %+v, want %q", refused, tc.reason)
			}
			junk := tc.header.Get("X-Api-Key") != ""
			if tc.reason == api.ReasonInvalid && (f.refused != 1 || strings.Contains(refused.Message, "stream token") == junk) {
				t.Errorf("refused %d times by the policy, with %+v", f.refused, refused)
			}
			if (q == nil) != (tc.keyID == "") || q != nil && q.KeyID != tc.keyID {
				t.Errorf("the request is %+v, want one of key %q", q, tc.keyID)
			}
			if len(r.Header) > 0 {
				t.Errorf("%v is left in the request", r.Header)
			}
		})
	}
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// TestKeyIsTakenOutOfARequestBeforeTheSidecarIsThere: what handles the refusal must not
// see it. Of junk the policy decides, as of a key.
func TestKeyIsTakenOutOfARequestBeforeTheSidecarIsThere(t *testing.T) {
	closed := func(context.Context) (sidecar.Service, error) { return nil, errors.New("not open yet") }
	a := &Auth{Sidecar: closed, Rates: NewRates(rate.NewLocal[string](1, time.Now), time.Now)}
	for sent, want := range map[string]int{mint.NewKey(): http.StatusServiceUnavailable, "junk": http.StatusServiceUnavailable, "": http.StatusUnauthorized} {
		r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
		if sent != "" {
			r.Header.Set("Authorization", "Bearer "+sent)
			r.Header.Set("X-Api-Key", sent)
		}
		q, refused := a.Identify(r, netip.Addr{})
		if q != nil || refused == nil || refused.Status != want {
			t.Errorf("%q: %+v, %v; want %d", sent, q, refused, want)
		}
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("%q is left in the request", sent)
		}
	}
}

// strict is a sidecar without keys, whose policy has a text of its own.
type strict struct {
	sidecar.Service
	asked []mint.KeyHash
}

func (s *strict) Authenticate(_ context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	s.asked = append(s.asked, hash)
	return sidecar.Identity{Decision: policy.Decision{Status: http.StatusUnauthorized, Error: "By the policy.", Reason: api.ReasonInvalid, Rule: "key.unknown"}},
		sidecar.ErrUnknownKey
}

// TestEveryKeyIsForThePolicyToRefuse: what is no key, too, and it counts as one that no
// one has.
func TestEveryKeyIsForThePolicyToRefuse(t *testing.T) {
	for name, tc := range map[string]struct {
		header http.Header
		asked  int
		says   string
	}{
		"a key that no one has":           {http.Header{"X-Api-Key": {mint.NewKey()}}, 1, "By the policy."},
		"what is no key":                  {http.Header{"X-Api-Key": {"sk-junk"}}, 1, "By the policy."},
		"nothing":                         {http.Header{"X-Api-Key": {""}}, 1, "By the policy."},
		"what is no key, as bearer":       {http.Header{"Authorization": {"Bearer junk"}}, 1, "By the policy."},
		"no key, which is the protocol's": {nil, 0, "An API key is required."},
		"another scheme":                  {http.Header{"Authorization": {"Basic junk"}}, 0, "The Authorization header must be \"Bearer\" and an API key."},
		"two keys":                        {http.Header{"X-Api-Key": {mint.NewKey(), mint.NewKey()}}, 0, "The request carries two different API keys."},
	} {
		t.Run(name, func(t *testing.T) {
			s := &strict{}
			rates := NewRates(rate.NewLocal[string](1, time.Now), time.Now)
			a := &Auth{
				Sidecar: func(context.Context) (sidecar.Service, error) { return s, nil }, Rates: rates, FailedRate: rate.PerSecond(1, 1),
			}
			r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
			for name, values := range tc.header {
				r.Header[name] = values
			}
			client := netip.MustParseAddr("192.0.2.1")
			q, refused := a.Identify(r, client)
			if q != nil || refused == nil || refused.Status != http.StatusUnauthorized || refused.Message != tc.says || len(s.asked) != tc.asked {
				t.Errorf("%+v, %v after %d questions; want %q after %d", q, refused, len(s.asked), tc.says, tc.asked)
			}
			if counted := rates.failures.Wait(client, a.FailedRate) > 0; counted != (tc.asked > 0) {
				t.Errorf("it counts as a key that no one has: %v", counted)
			}
		})
	}
}

// judged is a sidecar without keys, whose policy answers as a test says.
type judged struct {
	sidecar.Service
	policy.Decision
}

func (s *judged) Authenticate(context.Context, mint.KeyHash) (sidecar.Identity, error) {
	return sidecar.Identity{Decision: s.Decision}, sidecar.ErrUnknownKey
}

// TestAnswerToAKeyThatNoOneHasIsThePolicys: whatever its status, unless it is none or lets
// the key in.
func TestAnswerToAKeyThatNoOneHasIsThePolicys(t *testing.T) {
	for name, tc := range map[string]struct {
		decision policy.Decision
		status   int
		says     string
	}{
		"401":     {policy.Decision{Status: 401, Error: "By the policy.", Reason: api.ReasonInvalid}, 401, "By the policy."},
		"403":     {policy.Decision{Status: 403, Error: "Not from there."}, 403, "Not from there."},
		"none":    {policy.Decision{}, 401, "This API key is not valid."},
		"allowed": {policy.Decision{Allow: true, Status: 200}, 401, "This API key is not valid."},
	} {
		s := &judged{Decision: tc.decision}
		rates := NewRates(rate.NewLocal[string](1, time.Now), time.Now)
		a := &Auth{Sidecar: func(context.Context) (sidecar.Service, error) { return s, nil }, Rates: rates, FailedRate: rate.PerSecond(1, 1)}
		r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
		r.Header.Set("X-Api-Key", mint.NewKey())
		client := netip.MustParseAddr("192.0.2.1")
		q, refused := a.Identify(r, client)
		if q != nil || refused == nil || refused.Status != tc.status || refused.Message != tc.says || rates.failures.Wait(client, a.FailedRate) == 0 {
			t.Errorf("%s: %+v, %+v", name, q, refused)
		}
	}
}

// dead is a sidecar whose one key is good until it is revoked.
type dead struct {
	sidecar.Service
	decision policy.Decision
}

func (d *dead) Authenticate(context.Context, mint.KeyHash) (sidecar.Identity, error) {
	return sidecar.Identity{KeyID: "k", Decision: d.decision}, nil
}

// TestAKeyThatIsRevokedIsBoundedAsOneThatNoOneHas: each of its requests costs a decision,
// and no rate of its own bounds them.
func TestAKeyThatIsRevokedIsBoundedAsOneThatNoOneHas(t *testing.T) {
	d := &dead{decision: allowed}
	rates := NewRates(rate.NewLocal[string](10, time.Now), time.Now)
	a := &Auth{Sidecar: func(context.Context) (sidecar.Service, error) { return d, nil }, Rates: rates, FailedRate: rate.PerSecond(1, 1)}
	key, client := mint.NewKey(), netip.MustParseAddr("192.0.2.1")
	hash, _ := mint.ParseKey(key)
	send := func() (*Request, *answers.Error) {
		r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
		r.Header.Set("X-Api-Key", key)
		return a.Identify(r, client)
	}
	if _, refused := send(); refused != nil || !rates.known.Contains(hash) {
		t.Fatalf("a good key: %v", refused)
	}
	for _, d.decision = range []policy.Decision{{Status: 401, Reason: api.ReasonRevoked}, {Status: 403}} {
		rates.known.Add(hash, struct{}{})
		q, refused := send()
		if q == nil || refused == nil || refused.Status != d.decision.Status || rates.known.Contains(hash) || rates.failures.Wait(client, a.FailedRate) == 0 {
			t.Errorf("%+v: %+v, %v; it is known: %v", d.decision, q, refused, rates.known.Contains(hash))
		}
	}
}

// TestClientWhoseBodyIsHereWaitsForNothing: a refusal must not close the connection of
// one that asked to be told when to go on.
func TestClientWhoseBodyIsHereWaitsForNothing(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/v1/generate", strings.NewReader("{}"))
	r.Header.Set("Expect", "100-continue")
	if _, refused := readBody(httptest.NewRecorder(), r, 1, nil); refused == nil || r.Header.Get("Expect") == "" {
		t.Errorf("a body that is too large: %v, Expect %q", refused, r.Header.Get("Expect"))
	}
	if _, refused := readBody(httptest.NewRecorder(), r, 2, nil); refused != nil || r.Header.Get("Expect") != "" {
		t.Errorf("one that was read: %v, Expect %q", refused, r.Header.Get("Expect"))
	}
}

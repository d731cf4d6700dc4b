package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// reported is a sidecar of an earlier version that gets reports of refusals: it lets its policy
// allow keys that no one has.
type reported struct {
	sidecar.Service

	mu      sync.Mutex // guards the following fields
	refused []sidecar.Refused
	of      []peer.Request
}

func (s *reported) NoteRefused(ctx context.Context, r sidecar.Refused) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.of = append(s.refused, r), append(s.of, peer.RequestOf(ctx))
	return nil
}

func (s *reported) reports() ([]sidecar.Refused, []peer.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused, s.of
}

func (s *reported) Authenticate(context.Context, mint.KeyHash) (sidecar.Identity, error) {
	return sidecar.Identity{Decision: policy.Decision{Allow: true, Status: 200}}, sidecar.ErrUnknownKey
}

// TestWhatIsRefusedWithoutADecisionIsReportedOnceASecond: each kind with its number and the
// last request that got it, whatever was sent.
func TestWhatIsRefusedWithoutADecisionIsReportedOnceASecond(t *testing.T) {
	for name, tc := range map[string]struct {
		header http.Header
		full   bool // of look-ups for the address
		want   sidecar.Refused
	}{
		"no key":         {nil, false, sidecar.Refused{Status: 401, Message: "An API key is required.", Reason: api.ReasonMissing}},
		"another scheme": {http.Header{"Authorization": {"Basic x"}}, false, sidecar.Refused{Status: 401, Message: "The Authorization header must be \"Bearer\" and an API key.", Reason: api.ReasonInvalid}},
		"two keys":       {http.Header{"X-Api-Key": {"a", "b"}}, false, sidecar.Refused{Status: 401, Message: "The request carries two different API keys.", Reason: api.ReasonInvalid}},
		"a key that a policy of before would let in": {http.Header{"X-Api-Key": {"a"}}, false, sidecar.Refused{Status: 401, Message: "This API key is not valid.", Reason: api.ReasonInvalid}},
		"too many keys": {http.Header{"X-Api-Key": {"a"}}, true, sidecar.Refused{Status: 503, Message: "Many refused API keys come from this address. This one can't be checked right now."}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, client := &reported{}, netip.MustParseAddr("192.0.2.1")
				rates := NewRates(rate.NewLocal[string](1, time.Now), time.Now)
				last := ""
				a := &Auth{
					Sidecar: func(context.Context) (sidecar.Service, error) { return s, nil }, Rates: rates,
					Request: func(context.Context) peer.Request { return peer.Request{ID: last} },
				}
				if tc.full {
					a.FailedRate = rate.Limit{Rate: 1, Burst: 1, Per: time.Hour}
					rates.failures.Take(t.Context(), client, a.FailedRate)
					for range lookUpsOfAddress {
						if _, full := rates.lookUps.Enter(client, PlaceBounds{All: lookUpsInAll, PerAddress: lookUpsOfAddress}, func() bool { return false }); full != "" {
							t.Fatal(full)
						}
					}
				}
				flood := func(n int, until string) {
					for i := range n {
						if last = "r"; i == n-1 {
							last = until
						}
						r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
						for name, values := range tc.header {
							r.Header[name] = values
						}
						if _, refused := a.Identify(r, client); refused == nil || refused.Status != tc.want.Status || refused.Message != tc.want.Message {
							t.Fatalf("answered %+v", refused)
						}
					}
				}
				flood(1000, "r-1000")
				if refused, _ := s.reports(); len(refused) != 0 {
					t.Errorf("reported at once: %+v", refused)
				}
				time.Sleep(reportedEvery)
				synctest.Wait()
				flood(1, "r-1001")
				time.Sleep(2 * reportedEvery)
				synctest.Wait()
				first, second := tc.want, tc.want
				first.Count, second.Count = 1000, 1
				refused, of := s.reports()
				if len(refused) != 2 || refused[0] != first || refused[1] != second || of[0].ID != "r-1000" || of[1].ID != "r-1001" {
					t.Errorf("reported %+v of %+v", refused, of)
				}
			})
		})
	}
}

// TestASidecarThatTakesNoReportEndsNothing: one that is not there, or of an earlier version.
func TestASidecarThatTakesNoReportEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Auth{Sidecar: func(context.Context) (sidecar.Service, error) { return &strict{}, nil }, Rates: NewRates(rate.NewLocal[string](1, time.Now), time.Now)}
		for range 2 {
			if _, refused := a.Identify(httptest.NewRequest(http.MethodGet, "/v1/projects", nil), netip.Addr{}); refused == nil {
				t.Fatal("let in")
			}
			time.Sleep(reportedEvery)
			synctest.Wait()
		}
	})
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func TestEachAnswerSettlesTheReservationOnce(t *testing.T) {
	refused := http.Header{contract.HeaderRefused: {"true"}}
	tests := map[string]struct {
		answer            Answer
		verdict           contract.FenceVerdict
		fenceErr          error
		commitErr         error
		status            int // of the refusal, 0 for accepted
		commits, releases int32
		fences            int
		starting          bool
	}{
		"accepted":                        {answer: Answer{Status: 200}, commits: 1},
		"marked refusal 503":              {answer: Answer{Status: 503, Header: refused}, status: 503, releases: 1},
		"marked refusal 400":              {answer: Answer{Status: 400, Header: refused}, status: 400, releases: 1},
		"marked refusal 413":              {answer: Answer{Status: 413, Header: refused}, status: 413, releases: 1},
		"nothing was sent":                {answer: Answer{NotSent: true}, status: 503, releases: 1, starting: true},
		"lost, the engine took it":        {verdict: contract.Accepted, commits: 1, fences: 1},
		"lost, the engine never will":     {verdict: contract.Fenced, status: 503, releases: 1, fences: 1},
		"lost, the engine can't be asked": {fenceErr: engineproxy.ErrUnreachable, status: 504, fences: 1},
		"unmarked 500, never will":        {answer: Answer{Status: 500}, verdict: contract.Fenced, status: 503, releases: 1, fences: 1},
		"unmarked 503, took it":           {answer: Answer{Status: 503}, verdict: contract.Accepted, commits: 1, fences: 1},
		"accepted, the ledger is away":    {answer: Answer{Status: 200}, commitErr: errDown, status: 504, commits: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{commitErr: tc.commitErr}
			engines := &fakeEngines{verdict: tc.verdict, fenceErr: tc.fenceErr}
			s := Submitter{Sidecar: side, Engines: engines, RetryAfter: 30 * time.Second, Now: time.Now}
			gone, leave := context.WithCancel(context.Background())
			leave() // the client has left; settling goes on
			refusal := s.Settle(gone, &Request{ProjectID: project, UserID: "u"}, jobID, tc.answer)

			status := 0
			if refusal != nil {
				status = refusal.Status
			}
			if status != tc.status {
				t.Fatalf("got %v, want %d", refusal, tc.status)
			}
			if side.commits.Load() != tc.commits || side.releases.Load() != tc.releases || engines.fences != tc.fences {
				t.Errorf("commits %d, releases %d, fences %d", side.commits.Load(), side.releases.Load(), engines.fences)
			}
			if status == 504 && refusal.Header.Get(contract.HeaderJobID) != jobID {
				t.Error("the 504 does not name the job")
			}
			if refusal != nil && refusal.Starting != tc.starting {
				t.Errorf("starting is %v", refusal.Starting)
			}
		})
	}
}

func TestReserveCarriesTheDecisionsLimitsAndMintsTheJobID(t *testing.T) {
	two := int64(2)
	side := &fakeSidecar{}
	s := Submitter{Sidecar: side, Now: time.Now}
	id, _, refused := s.Reserve(context.Background(), &Request{
		KeyID: "k", ProjectID: project, Fingerprint: "f", IdempotencyKey: "idem",
		Decision: policy.Decision{Limits: policy.Limits{JobsPerDay: &two}},
	})
	if refused != nil || !api.ValidJobID(id) {
		t.Fatalf("got %q, %v", id, refused)
	}
	want := sidecar.Reservation{
		JobID: id, KeyID: "k", ProjectID: project, Limits: policy.Limits{JobsPerDay: &two}, IdempotencyKey: "idem", Fingerprint: "f",
	}
	if side.reserved != want {
		t.Errorf("reserved %+v", side.reserved)
	}
}

func TestReserveFailsClosed(t *testing.T) {
	limit := &api.Error{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitMaxConcurrentJobs}
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"a limit":                 {limit, 429},
		"the store is away":       {errDown, 503},
		"another body, same key":  {sidecar.ErrIdempotencyMismatch, 422},
		"an error inside another": {errors.Join(errDown, limit), 429},
	} {
		_, _, refused := Submitter{Sidecar: &fakeSidecar{reserveErr: tc.err}, Now: time.Now}.Reserve(context.Background(), &Request{})
		if refused == nil || refused.Status != tc.want {
			t.Errorf("%s: got %v, want %d", name, refused, tc.want)
		}
	}
}

package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func TestEachAnswerSettlesTheReservationOnce(t *testing.T) {
	refused := http.Header{contract.HeaderRefused: {"true"}}
	tests := map[string]struct {
		answer            answer
		verdict           contract.FenceVerdict
		fenceErr          error
		commitErr         error
		status            int // of the refusal, 0 for accepted
		commits, releases int32
		fences            int
		starting          bool
	}{
		"accepted":                        {answer: answer{status: 200}, commits: 1},
		"marked refusal 503":              {answer: answer{status: 503, header: refused}, status: 503, releases: 1},
		"marked refusal 400":              {answer: answer{status: 400, header: refused}, status: 400, releases: 1},
		"marked refusal 413":              {answer: answer{status: 413, header: refused}, status: 413, releases: 1},
		"nothing was sent":                {answer: answer{notSent: true}, status: 503, releases: 1, starting: true},
		"lost, the engine took it":        {verdict: contract.Accepted, commits: 1, fences: 1},
		"lost, the engine never will":     {verdict: contract.Fenced, status: 503, releases: 1, fences: 1},
		"lost, the engine is unreachable": {fenceErr: engineproxy.ErrUnreachable, status: 504, fences: 1},
		"unmarked 500, never will":        {answer: answer{status: 500}, verdict: contract.Fenced, status: 503, releases: 1, fences: 1},
		"unmarked 503, took it":           {answer: answer{status: 503}, verdict: contract.Accepted, commits: 1, fences: 1},
		"accepted, the ledger is away":    {answer: answer{status: 200}, commitErr: errDown, status: 504, commits: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{commitErr: tc.commitErr}
			engines := &fakeEngines{verdict: tc.verdict, fenceErr: tc.fenceErr}
			s := &Submitter{Sidecar: side, Engines: engines, RetryAfter: 30 * time.Second, Now: time.Now}
			gone, leave := context.WithCancel(context.Background())
			leave() // the client has left; settling goes on
			refusal := s.settle(gone, &Request{ProjectID: project, UserID: "u"}, jobID, tc.answer)

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
	s := &Submitter{Sidecar: side, Now: time.Now}
	id, _, refused := s.reserve(context.Background(), &Request{
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
	limit := &answers.Error{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitMaxConcurrentJobs}
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"a limit":                 {limit, 429},
		"the store is away":       {errDown, 503},
		"another body, same key":  {sidecar.ErrIdempotencyMismatch, 422},
		"an error inside another": {errors.Join(errDown, limit), 429},
	} {
		_, _, refused := (&Submitter{Sidecar: &fakeSidecar{reserveErr: tc.err}, Now: time.Now}).reserve(context.Background(), &Request{})
		if refused == nil || refused.Status != tc.want {
			t.Errorf("%s: got %v, want %d", name, refused, tc.want)
		}
	}
}

func TestSubmissionIsSettledOnceWhateverTheEnginesHandlerDoes(t *testing.T) {
	const instance = "01JD0000000000000000000000"
	answersWith := func(status int, instance string) Next {
		return func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set(contract.HeaderInstance, instance)
			w.WriteHeader(status)
			return nil
		}
	}
	for name, tc := range map[string]struct {
		next    Next
		outcome Outcome
		fences  int
		panics  bool
	}{
		"it answers":                    {answersWith(200, instance), OutcomeAccepted, 0, false},
		"it answers for another engine": {answersWith(200, "01JD0000000000000000000001"), OutcomeFenced, 1, false},
		"it could not connect":          {func(http.ResponseWriter, *http.Request) error { return fmt.Errorf("dial: %w", ErrNotSent) }, OutcomeReleased, 0, false},
		"it fails":                      {func(http.ResponseWriter, *http.Request) error { return errDown }, OutcomeFenced, 1, false},
		"it answers too much": {func(w http.ResponseWriter, _ *http.Request) error {
			_, err := w.Write(make([]byte, maxAnswer+1))
			return err
		}, OutcomeFenced, 1, false},
		"it breaks off": {func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) }, OutcomeFenced, 1, false},
		"it panics":     {func(http.ResponseWriter, *http.Request) error { panic("a fault of ours") }, OutcomeFenced, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			var outcomes []Outcome
			side, engines := &fakeSidecar{}, &fakeEngines{verdict: contract.Fenced}
			s := &Submitter{
				Sidecar: side, Engines: engines, Routes: NewRoutes(), Timeout: time.Minute, Now: time.Now,
				Outcome: func(o Outcome) { outcomes = append(outcomes, o) }, Logger: zap.NewNop(),
			}
			q := &Request{ProjectID: project, UserID: "u", Body: []byte("{}"), Lease: &engineproxy.Lease{Endpoint: engineproxy.Endpoint{InstanceID: instance}}}
			w := httptest.NewRecorder()
			defer func() {
				if p := recover(); (p != nil) != tc.panics {
					t.Errorf("panicked with %v", p)
				}
				if !slices.Equal(outcomes, []Outcome{tc.outcome}) || engines.fences != tc.fences || side.commits.Load()+side.releases.Load() != 1 {
					t.Errorf("%v, %d fences, %d commits, %d releases", outcomes, engines.fences, side.commits.Load(), side.releases.Load())
				}
				if accepted := w.Body.Len() > 0; accepted != (tc.outcome == OutcomeAccepted) {
					t.Errorf("the client got %s", w.Body)
				}
			}()
			err := s.Serve(w, httptest.NewRequest("POST", "/v1/generate", nil), q, tc.next)
			if (err == nil) != (tc.outcome == OutcomeAccepted) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

package gateway

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// How many allocations the gateway's own part of each step takes at most, whatever the
// machine; what the race detector adds is within it.
const (
	mostPerSubmission = 75
	mostPerScan       = 3 // of an event of an engine
)

// submissions returns what takes a submission through the ledger and to an engine, neither
// of which does anything.
func submissions(tb testing.TB) (submit func()) {
	const instance = "01JD0000000000000000000000"
	s := &Submitter{
		Sidecar: &idleSidecar{}, Routes: NewRoutes(), Timeout: time.Minute, Deadline: 5 * time.Second, Now: time.Now,
		Outcome: func(Outcome) {}, Logger: zap.NewNop(),
	}
	body := bytes.Repeat([]byte("x"), 500)
	r := httptest.NewRequest(http.MethodPost, "/v1/generate", nil)
	next := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header()[contract.HeaderInstance] = []string{instance}
		w.WriteHeader(http.StatusOK)
		return nil
	}
	w := httptest.NewRecorder()
	return func() {
		q := &Request{ProjectID: project, UserID: "u", Body: body, Lease: &engineproxy.Lease{Endpoint: engineproxy.Endpoint{InstanceID: instance}}}
		w.Body.Reset()
		if err := s.Serve(w, forEngine(r, q), q, next); err != nil {
			tb.Fatal(err)
		}
	}
}

// idleSidecar admits every submission.
type idleSidecar struct{ sidecar.Service }

func (*idleSidecar) Reserve(context.Context, sidecar.Reservation) (sidecar.Admission, error) {
	return sidecar.Admission{SessionID: "ses_x"}, nil
}

func (*idleSidecar) Commit(context.Context, string) error { return nil }

func TestASubmissionTakesFewAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(200, submissions(t)); n > mostPerSubmission {
		t.Errorf("a submission takes %v allocations, want at most %d", n, mostPerSubmission)
	}
}

func BenchmarkSubmission(b *testing.B) {
	submit := submissions(b)
	b.ReportAllocs()
	for b.Loop() {
		submit()
	}
}

// scans returns what reads the next event of an endless stream.
func scans(tb testing.TB) (scan func()) {
	event := []byte("id: 7\nevent: job.progress\ndata: {\"type\":\"job.progress\",\"percent\":10}\n\n")
	scanner := newEventScanner(readFunc(func(p []byte) (int, error) { return copy(p, event), nil }))
	return func() {
		if e, err := scanner.Next(); err != nil || e.ID != 7 {
			tb.Fatal(e, err)
		}
	}
}

func TestAnEventOfAnEngineIsReadWithFewAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(200, scans(t)); n > mostPerScan {
		t.Errorf("an event takes %v allocations, want at most %d", n, mostPerScan)
	}
}

func BenchmarkScanEvent(b *testing.B) {
	scan := scans(b)
	b.ReportAllocs()
	for b.Loop() {
		scan()
	}
}

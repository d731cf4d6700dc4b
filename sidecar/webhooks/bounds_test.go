package webhooks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/webhooks"
	"github.com/svc-games/svc/test/wait"
)

func TestAttemptHasTenSecondsTheLookUpIncluded(t *testing.T) {
	f := on(t)
	f.set(f.project, "https://hooks.example.com/")
	f.end(f.project, api.JobCompleted)
	var left time.Duration
	before := time.Now()
	f.sender(func(o *webhooks.SenderOptions) {
		o.LookUp = func(ctx context.Context, _ string) ([]netip.Addr, error) {
			if deadline, ok := ctx.Deadline(); ok {
				left = deadline.Sub(before)
			}
			return nil, context.DeadlineExceeded
		}
	}).Once(t.Context())
	if most := 10*time.Second + time.Since(before); left < 10*time.Second || left > most {
		t.Errorf("the look-up has %s", left)
	}
}

// TestDeliveryIsAttemptedNineTimesWithinADay: the times are those that docs/webhooks.md says.
func TestDeliveryIsAttemptedNineTimesWithinADay(t *testing.T) {
	f := on(t)
	begun := f.clock()
	var at []time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		at = append(at, f.clock().Sub(begun))
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(server.Close)
	f.set(f.project, server.URL)
	f.end(f.project, api.JobCompleted)
	s := f.sender()
	for {
		s.Once(t.Context())
		d := f.only()
		if d.NextAt == nil {
			break
		}
		f.pass(d.NextAt.Sub(f.clock()))
	}
	minutes := func(n float64) time.Duration { return time.Duration(n*60)*time.Second + 5*time.Second }
	want := []time.Duration{
		0, minutes(0), minutes(1), minutes(6), minutes(36), minutes(156), minutes(456), minutes(936), minutes(1416), // 23 h 36 min 5 s
	}
	if !slices.Equal(at, want) {
		t.Errorf("attempted after %v, want %v", at, want)
	}
	if d := f.only(); d.State != api.DeliveryDead || d.Attempts != 9 {
		t.Errorf("listed %+v", d)
	}
}

// TestAnswersHeadHas256KiBAtMost: TestReceiverThatMisbehavesIsCutOff has an endless body.
func TestAnswersHeadHas256KiBAtMost(t *testing.T) {
	if webhooks.MaxAnswer != 256<<10 {
		t.Errorf("%d bytes of an answer are read", webhooks.MaxAnswer)
	}
	for size, want := range map[int]string{250 << 10: api.DeliveryDelivered, 262 << 10: api.DeliveryWaiting} {
		f := on(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", size))
		}))
		f.set(f.project, server.URL)
		f.end(f.project, api.JobCompleted)
		s := f.sender()
		s.SetTimeout(wait.Patience)
		s.Once(t.Context())
		server.Close()
		if d := f.only(); d.State != want {
			t.Errorf("%d bytes: %+v", size, d)
		}
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	followed := newReceiver(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := on(t)
		server := httptest.NewServer(http.RedirectHandler(followed.URL, status))
		f.set(f.project, server.URL)
		f.end(f.project, api.JobCompleted)
		f.sender().Once(t.Context())
		server.Close()
		if d := f.only(); d.State != api.DeliveryWaiting || d.Status != int64(status) || d.Problem != "Redirects are not followed." {
			t.Errorf("%d: %+v", status, d)
		}
	}
	if n := len(followed.got()); n > 0 {
		t.Errorf("followed %d times", n)
	}
}

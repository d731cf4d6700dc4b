package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// faulty stands before a sidecar and loses the answers that a test says.
type faulty struct {
	next http.Handler
	lose atomic.Pointer[func(call string) bool]
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if lose := f.lose.Load(); lose != nil && (*lose)(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]) {
		f.next.ServeHTTP(swallow{header: http.Header{}}, r)
		panic(http.ErrAbortHandler) // cuts the connection
	}
	f.next.ServeHTTP(w, r)
}

// swallow is an answer that nobody gets.
type swallow struct{ header http.Header }

func (s swallow) Header() http.Header         { return s.header }
func (s swallow) Write(b []byte) (int, error) { return len(b), nil }
func (s swallow) WriteHeader(int)             {}

// open returns a client of a sidecar whose answers can be lost.
func open(t *testing.T) (*wire.Client, *service.Service, *faulty) {
	t.Helper()
	svc := sidecartest.NewService(t)
	f := &faulty{next: handler(svc)}
	s, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "s.sock")}, Handler: f,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	conn, err := peer.NewClient(peer.ClientOptions{Address: s.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	c := wire.New(conn, wire.Options{DecisionTimeout: time.Minute})
	t.Cleanup(func() { c.Close() })
	return c, svc, f
}

// losing loses the first n answers to a call.
func (f *faulty) losing(call string, n int32) *atomic.Int32 {
	var lost atomic.Int32
	lose := func(asked string) bool { return asked == call && lost.Add(1) <= n }
	f.lose.Store(&lose)
	return &lost
}

// submission returns a reservation that can be admitted.
func submission(t *testing.T, svc *service.Service) sidecar.Reservation {
	t.Helper()
	if _, err := svc.Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	key, err := svc.Keys().Create(t.Context(), "test", "alice", "key", policy.Limits{JobsPerDay: new(int64(1))})
	if err != nil {
		t.Fatal(err)
	}
	project, err := svc.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "x", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	return sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID}
}

func TestReservationWhoseAnswerWasLostIsMadeOnce(t *testing.T) {
	c, svc, f := open(t)
	r := submission(t, svc)
	f.losing("reserve", 1)
	a, err := c.Reserve(t.Context(), r) // the limit is one: a second count would refuse it
	if err != nil || a.Usage.JobsToday != 1 || a.SessionID == "" || *a.Limits.JobsPerDay != 1 {
		t.Errorf("admission %+v, %v", a, err)
	}
	if err := c.Commit(t.Context(), r.JobID); err != nil {
		t.Error(err)
	}
}

func TestReservationWhoseFateIsNotKnownIsReleased(t *testing.T) {
	c, svc, f := open(t)
	r := submission(t, svc)
	f.losing("reserve", 2)
	if _, err := c.Reserve(t.Context(), r); !errors.Is(err, sidecar.ErrUnreachable) {
		t.Fatalf("got %v", err)
	}
	wait.Until(t, "the refused submission does not count", func() bool {
		used, err := svc.Keys().Usage(t.Context(), r.KeyID)
		if err != nil {
			t.Fatal(err)
		}
		return used.JobsToday == 0 && used.RunningJobs == 0
	})
}

func TestCommitAndReleaseGetThrough(t *testing.T) {
	c, svc, f := open(t)
	r := submission(t, svc)
	if _, err := c.Reserve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		call func(context.Context, string) error
	}{{"commit", c.Commit}, {"release", c.Release}} { // which leaves a committed job alone
		lost := f.losing(tc.name, 5)
		if err := tc.call(t.Context(), r.JobID); err != nil || lost.Load() < 6 {
			t.Errorf("%s: %v after %d tries", tc.name, err, lost.Load())
		}
	}
}

func TestAProjectIsNeverMadeTwice(t *testing.T) {
	c, svc, f := open(t)
	submission(t, svc)
	lost := f.losing("create-project", 1)
	if _, err := c.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "y", Template: api.TemplateBlank}); !errors.Is(err, sidecar.ErrUnreachable) || !errors.Is(err, sidecar.ErrInDoubt) {
		t.Errorf("got %v", err)
	}
	if lost.Load() != 1 {
		t.Errorf("asked %d times", lost.Load())
	}
}

func TestSidecarThatIsAwayIsUnreachableAtOnce(t *testing.T) {
	conn, err := peer.NewClient(peer.ClientOptions{Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "s.sock")}})
	if err != nil {
		t.Fatal(err)
	}
	c := wire.New(conn, wire.Options{DecisionTimeout: time.Minute})
	defer c.Close()
	_, stop := c.Watch()
	defer stop()
	for name, call := range map[string]func() error{
		"authenticate": func() error { _, err := c.Authenticate(t.Context(), mint.KeyHash{}); return err },
		"decide":       func() error { _, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus); return err },
		"reserve":      func() error { _, err := c.Reserve(t.Context(), sidecar.Reservation{}); return err },
		"job":          func() error { _, err := c.Job(t.Context(), "j"); return err },
		"changes":      func() error { _, err := c.Changes(t.Context(), 0); return err },
		"health":       func() error { _, err := c.Health(t.Context()); return err },
		"create":       func() error { _, err := c.CreateProject(t.Context(), "alice", api.ProjectRequest{}); return err },
	} {
		err := call()
		if !errors.Is(err, sidecar.ErrUnreachable) || !errors.Is(err, peer.ErrNotListening) || errors.Is(err, sidecar.ErrInDoubt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// answering is a peer that gives one answer to everything.
type answering struct {
	status int
	body   string
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

func TestAnswerThatIsNoDecisionIsAnError(t *testing.T) {
	const good = `{"allow":true,"status":200,"error":"","limits":{"jobsPerDay":null,"jobsPerMonth":null,"maxConcurrentJobs":null,"tikPerMonth":null},"rule":"r"}`
	ask := func(body string) (policy.Decision, error) {
		c := wire.New(answering{http.StatusOK, body}, wire.Options{})
		defer c.Close()
		return c.Decide(t.Context(), "k", "p", policy.ActionStatus)
	}
	if d, err := ask(good); err != nil || !d.Allow {
		t.Fatalf("a good answer: %+v, %v", d, err)
	}
	for _, body := range []string{
		``, `null`, `{}`, `[]`, `true`,
		strings.Replace(good, `"allow":true`, `"allow":"true"`, 1),
		strings.Replace(good, `"allow":true,`, ``, 1),
		strings.Replace(good, `"status":200`, `"status":403`, 1),
		strings.Replace(good, `"status":200`, `"status":204`, 1),
		strings.Replace(good, `"rule":"r"`, `"rule":""`, 1),
		strings.Replace(good, `"rule":"r"`, `"rule":"r","extra":1`, 1),
		good + good,
	} {
		if d, err := ask(body); err == nil || d.Allow {
			t.Errorf("%s: %+v, %v", body, d, err)
		}
	}
}

func TestSlowDecisionIsRefusedInTime(t *testing.T) {
	c := wire.New(trip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}), wire.Options{})
	defer c.Close()
	if _, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus); !errors.Is(err, context.DeadlineExceeded) ||
		!errors.Is(err, sidecar.ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestNothingIsLostOnTheWay fills every field of what travels: a member that
// the connection drops, a new one for example, is found here.
func TestNothingIsLostOnTheWay(t *testing.T) {
	for _, v := range []any{
		new(sidecar.Identity), new(sidecar.Changes), new(sidecar.Project), new(sidecar.Job), new(sidecar.Reservation),
		new(sidecar.Admission), new(policy.Decision), new(api.Project), new(api.ProjectRequest), new(api.ProjectList),
	} {
		want := reflect.ValueOf(v).Elem()
		n := 0
		fill(want, &n)
		if got := roundTrip(t, v); fmt.Sprintf("%#v", flat(got)) != fmt.Sprintf("%#v", flat(want.Interface())) {
			t.Errorf("%T: sent %+v, got %+v", v, flat(want.Interface()), flat(got))
		}
	}
}

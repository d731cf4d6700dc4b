package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
)

type (
	ask    struct{ N int }
	answer struct{ Text string }
)

var (
	errOdd = errors.New("odd")
	codes  = rpc.Sentinels{"odd": errOdd, "deadline": context.DeadlineExceeded}
)

// serve serves calls to a function that doubles even numbers.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	s := rpc.NewServer("/test/v1", codes, zap.NewNop())
	rpc.Handle(s, "double", func(_ context.Context, a ask) (answer, error) {
		switch {
		case a.N < 0:
			return answer{}, errors.New("the disk is full")
		case a.N%2 == 1:
			return answer{}, fmt.Errorf("doubling %d: %w", a.N, errOdd)
		}
		return answer{fmt.Sprint(2 * a.N)}, nil
	})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server
}

// to returns a client of a test server, whatever host its calls name.
func to(server *httptest.Server) *rpc.Client {
	return rpc.NewClient(trip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Host = server.Listener.Addr().String()
		return server.Client().Transport.RoundTrip(r)
	}), "the test", "/test/v1", codes)
}

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestCallReturnsWhatTheFunctionReturns(t *testing.T) {
	c := to(serve(t))
	got, err := rpc.Call[answer](t.Context(), c, "double", ask{21 * 2})
	if err != nil || got.Text != "84" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = rpc.CallOnce[answer](t.Context(), c, "double", ask{3})
	if !errors.Is(err, errOdd) || err.Error() != "doubling 3: odd" || errors.Is(err, rpc.ErrUnreachable) {
		t.Errorf("an error with a code: %v", err)
	}
	_, err = rpc.Call[answer](t.Context(), c, "double", ask{-1})
	if err == nil || err.Error() != "the disk is full" || errors.Is(err, rpc.ErrUnreachable) {
		t.Errorf("an error without a code: %v", err)
	}
}

func TestTheRequestThatACallIsForIsKnownAtItsOtherEnd(t *testing.T) {
	s := rpc.NewServer("/test/v1", codes, zap.NewNop())
	rpc.Handle(s, "who", func(ctx context.Context, _ ask) (peer.Request, error) { return peer.RequestOf(ctx), nil })
	server := httptest.NewServer(s)
	defer server.Close()
	all := peer.Request{ID: "6f1c2f6e", IP: "2001:db8::1", Method: "PROPFIND", UserAgent: "Mozilla/5.0 (X11) Ünïcode"}
	for _, of := range []peer.Request{all, {ID: "6f1c2f6e"}, {IP: "192.0.2.1"}, {}} {
		got, err := rpc.Call[peer.Request](peer.WithRequest(t.Context(), of), to(server), "who", ask{})
		if err != nil || got != of {
			t.Errorf("%+v: got %+v, %v", of, got, err)
		}
	}
	long := peer.Request{ID: strings.Repeat("x", 65), UserAgent: strings.Repeat("x", 257), Method: "GET"}
	if got, err := rpc.Call[peer.Request](peer.WithRequest(t.Context(), long), to(server), "who", ask{}); err != nil || got != (peer.Request{Method: "GET"}) {
		t.Errorf("what is too long: %+v, %v", got, err)
	}
}

func TestCallThatIsNotUnderstoodIsAnError(t *testing.T) {
	server := serve(t)
	for body, want := range map[string]string{
		`{"N":2,"M":3}`: `unknown field "M"`,
		`{"N":2} {}`:    "data after the object",
		`{"N":"2"}`:     "cannot unmarshal",
		``:              "EOF",
		`{"N":`:         "unexpected EOF",
	} {
		res, err := server.Client().Post(server.URL+"/test/v1/double", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusBadRequest || !strings.Contains(strings.ReplaceAll(string(text), `\"`, `"`), want) {
			t.Errorf("%s: %d %s, %v; want %q", body, res.StatusCode, text, err, want)
		}
	}
	if _, err := rpc.Call[answer](t.Context(), to(server), "halve", ask{2}); !errors.Is(err, rpc.ErrUnreachable) {
		t.Errorf("a call that is not there: %v", err)
	}
}

func TestAnswerThatIsNotUnderstoodIsAnError(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
	}{
		{200, ``}, {200, `{"Text":"84","Extra":1}`}, {200, `{"Text":"84"} x`}, {200, `{"Text":84}`}, {200, `<html>`},
		{422, `<html>`}, {422, `{"message":"m","extra":1}`}, {500, `{"message":"m"}`}, {302, ``}, {204, ``},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		}))
		if got, err := rpc.Call[answer](t.Context(), to(server), "double", ask{2}); !errors.Is(err, rpc.ErrUnreachable) {
			t.Errorf("%d %s: got %+v, %v", tc.status, tc.body, got, err)
		}
		server.Close()
	}
}

func TestCodeThatIsNotKnownKeepsItsMessage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"codes":["new"],"message":"of a newer version"}`)
	}))
	defer server.Close()
	if _, err := rpc.Call[answer](t.Context(), to(server), "double", ask{2}); err == nil || err.Error() != "of a newer version" {
		t.Errorf("got %v", err)
	}
}

func TestContextThatEndsIsTheError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the caller left
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := rpc.Call[answer](ctx, to(server), "double", ask{2})
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, rpc.ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

// TestWhoAnswersTooLateIsSlowAndWhoWasNotReachedIsNot: an operator looks elsewhere for
// either.
func TestWhoAnswersTooLateIsSlowAndWhoWasNotReachedIsNot(t *testing.T) {
	asked, done := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-done
	}))
	defer server.Close()
	defer close(done)
	late := deadline{t.Context(), asked}
	if _, err := rpc.Call[answer](late, to(server), "double", ask{2}); !errors.Is(err, rpc.ErrSlow) || !errors.Is(err, rpc.ErrUnreachable) {
		t.Errorf("an answer that is late: %v", err)
	}
	nobody := rpc.NewClient(away{}, "nobody", "/test/v1", nil)
	passed := make(chan struct{})
	close(passed)
	if _, err := rpc.Call[answer](deadline{t.Context(), passed}, nobody, "double", ask{2}); !errors.Is(err, rpc.ErrUnreachable) || errors.Is(err, rpc.ErrSlow) {
		t.Errorf("one who is not reached: %v", err)
	}
}

// deadline is a context whose deadline passes when the test says so.
type deadline struct {
	context.Context
	passed chan struct{}
}

func (d deadline) Done() <-chan struct{} { return d.passed }

func (d deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// away is the way to a host that does not answer a connection.
type away struct{}

func (away) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

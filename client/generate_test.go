package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

var submission = api.Submission{JobID: testJob, ProjectID: testProject, Status: api.JobQueued, SessionID: "ses_1"}

func request() api.GenerateRequest {
	return api.GenerateRequest{ProjectID: testProject, Prompt: "A calm fishing game"}
}

// answers is a service that gives one answer after the other, and the last
// one for ever.
func answers(t *testing.T, keys *[]string, handlers ...http.HandlerFunc) http.HandlerFunc {
	t.Helper()
	var n atomic.Int64
	var mu sync.Mutex // guards keys: a broken connection may overlap the next
	return func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) != `{"projectId":"`+testProject+`","prompt":"A calm fishing game"}` {
			t.Errorf("body %s", body)
		}
		mu.Lock()
		*keys = append(*keys, r.Header.Get("Idempotency-Key"))
		mu.Unlock()
		handlers[min(int(n.Add(1)), len(handlers))-1](w, r)
	}
}

func starting(seconds int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 503, map[string]any{"error": "Starting.", "retryAfterSeconds": seconds})
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, code, map[string]any{"error": "No."}) }
}

// refusal is one that says when to come back.
func refusal(code int, after string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", after)
		status(code)(w, r)
	}
}

func accepted(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, submission) }

func broken(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestGenerateResubmitsTheSameRequest(t *testing.T) {
	for _, tt := range []struct {
		name     string
		handlers []http.HandlerFunc
		slept    []time.Duration
	}{
		{"accepted at once", []http.HandlerFunc{accepted}, nil},
		{"as long as the body says", []http.HandlerFunc{starting(7), starting(3), accepted},
			[]time.Duration{7 * time.Second, 3 * time.Second}},
		{"30 seconds when nothing is said", []http.HandlerFunc{status(503), accepted}, []time.Duration{30 * time.Second}},
		{"as long as the header says", []http.HandlerFunc{refusal(503, "2"), accepted}, []time.Duration{2 * time.Second}},
		{"lost connections, doubling to 8 seconds",
			[]http.HandlerFunc{broken, broken, broken, broken, broken, broken, accepted},
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second}},
		{"its own earlier attempt under way", []http.HandlerFunc{broken, status(409), accepted},
			[]time.Duration{500 * time.Millisecond, time.Second}},
		{"an attempt of another program with the same key under way", []http.HandlerFunc{refusal(409, "1"), accepted},
			[]time.Duration{time.Second}},
		{"lost answer of the engine", []http.HandlerFunc{status(504), accepted}, []time.Duration{500 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var keys []string
			c, clock := serve(t, answers(t, &keys, tt.handlers...))
			got, err := c.Generate(t.Context(), request())
			if err != nil || got.Submission != submission {
				t.Fatalf("got %+v, %v", got, err)
			}
			if !slices.Equal(clock.slept, tt.slept) {
				t.Errorf("waited %v, want %v", clock.slept, tt.slept)
			}
			if len(slices.Compact(keys)) != 1 || keys[0] == "" {
				t.Errorf("idempotency keys %q, want one", keys)
			}
		})
	}
}

func TestGenerateDoesNotRepeatARefusal(t *testing.T) {
	for _, code := range []int{400, 401, 403, 404, 409, 413, 422, 429, 500} {
		var keys []string
		c, clock := serve(t, answers(t, &keys, status(code)))
		_, err := c.Generate(t.Context(), request())
		var refused *Error
		if !errors.As(err, &refused) || refused.StatusCode != code {
			t.Errorf("got %v, want %d", err, code)
		}
		if len(keys) != 1 || clock.slept != nil {
			t.Errorf("%d: sent %d times, waited %v", code, len(keys), clock.slept)
		}
	}
}

// A limit that is hit says when it resets; the caller decides whether to wait.
func TestGenerateLeavesALimitToTheCaller(t *testing.T) {
	var keys []string
	c, clock := serve(t, answers(t, &keys, refusal(429, "5"), accepted))
	_, err := c.Generate(t.Context(), request())
	var refused *Error
	if !errors.Is(err, ErrLimitExceeded) || !errors.As(err, &refused) || refused.RetryAfter != 5*time.Second {
		t.Errorf("got %v, want the 429 with its Retry-After", err)
	}
	if len(keys) != 1 || clock.slept != nil {
		t.Errorf("sent %d times, waited %v", len(keys), clock.slept)
	}
}

func TestGenerateStopsWithinItsBudget(t *testing.T) {
	var keys []string
	c, clock := serve(t, answers(t, &keys, starting(30)))
	var waits []Retry
	c.opts.OnRetry = func(r Retry) { waits = append(waits, r) }
	begin := clock.Now()
	_, err := c.Generate(t.Context(), request())
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if took := clock.Now().Sub(begin); took != 8*time.Minute {
		t.Errorf("gave up after %v, want 8 minutes", took)
	}
	if len(keys) != 17 || len(waits) != 16 {
		t.Errorf("%d attempts and %d waits, want 17 and 16", len(keys), len(waits))
	}
	for _, wait := range waits {
		if wait.Delay != 30*time.Second || !wait.GivesUp.Equal(begin.Add(8*time.Minute)) || !errors.Is(wait.Err, ErrUnavailable) {
			t.Errorf("wait %+v", wait)
		}
	}
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	var keys []string
	c, _ := serve(t, answers(t, &keys, starting(30)))
	ctx, cancel := context.WithCancel(t.Context())
	c.opts.OnRetry = func(Retry) { cancel() }
	if _, err := c.Generate(ctx, request()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestGenerateUsesTheCallersIdempotencyKey(t *testing.T) {
	var keys []string
	c, _ := serve(t, answers(t, &keys, accepted))
	if _, err := c.Generate(t.Context(), request(), WithIdempotencyKey("mine")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(keys, []string{"mine"}) {
		t.Errorf("idempotency keys %q", keys)
	}
}

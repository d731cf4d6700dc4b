package client

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// calls are all calls but submissions.
var calls = map[string]func(ctx context.Context, c *Client, dir string) error{
	"creating a project": func(ctx context.Context, c *Client, _ string) error {
		_, err := c.CreateProject(ctx, api.ProjectRequest{Name: "n"})
		return err
	},
	"listing projects": func(ctx context.Context, c *Client, _ string) error {
		for _, err := range c.Projects(ctx) {
			return err
		}
		return nil
	},
	"status": func(ctx context.Context, c *Client, _ string) error {
		_, err := c.Status(ctx, Job{ID: testJob})
		return err
	},
	"cancelling": func(ctx context.Context, c *Client, _ string) error {
		_, err := c.Cancel(ctx, Job{ID: testJob})
		return err
	},
	"downloading": func(ctx context.Context, c *Client, dir string) error {
		_, err := c.Download(ctx, Job{ID: testJob}, filepath.Join(dir, "game.zip"))
		return err
	},
}

func TestCallsWaitOutAServiceThatCanNotAnswerNow(t *testing.T) {
	zip := []byte("a ZIP")
	answer := filesService(zip, sumOf(zip))
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch n := asked.Add(1); {
				case n == 1:
					refusal(http.StatusServiceUnavailable, "7")(w, r)
				case n == 2:
					status(http.StatusServiceUnavailable)(w, r)
				case r.URL.Path == "/v1/projects":
					writeJSON(w, http.StatusOK, map[string]any{"success": true})
				default:
					answer(w, r)
				}
			})
			if err := call(t.Context(), c, t.TempDir()); err != nil {
				t.Fatal(err)
			}
			// The second one says nothing of when.
			if want := []time.Duration{7 * time.Second, time.Second}; !slices.Equal(clock.slept, want) {
				t.Errorf("waited %v, want %v", clock.slept, want)
			}
		})
	}
}

func TestFilesAreAskedForAgainWhenTheyCanNotBeReadNow(t *testing.T) {
	zip := []byte("a ZIP")
	answer := filesService(zip, sumOf(zip))
	var downloads atomic.Int64
	c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if filepath.Base(r.URL.Path) == "files" && downloads.Add(1) == 1 {
			refusal(http.StatusServiceUnavailable, "1")(w, r)
			return
		}
		answer(w, r)
	})
	if _, err := c.Download(t.Context(), Job{ID: testJob}, filepath.Join(t.TempDir(), "game.zip")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(clock.slept, []time.Duration{time.Second}) {
		t.Errorf("waited %v", clock.slept)
	}
}

func TestCallsGiveUpAfterAMinute(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			c, clock := serve(t, refusal(http.StatusServiceUnavailable, "10"))
			begin := clock.Now()
			if err := call(t.Context(), c, t.TempDir()); !errors.Is(err, ErrUnavailable) {
				t.Errorf("got %v, want ErrUnavailable", err)
			}
			if took := clock.Now().Sub(begin); took != time.Minute {
				t.Errorf("gave up after %v", took)
			}
		})
	}
}

func TestCallsDoNotRepeatOtherRefusals(t *testing.T) {
	for _, code := range []int{400, 401, 403, 404, 409, 413, 429, 500, 504} {
		for name, call := range calls {
			if code == http.StatusGatewayTimeout && name != "cancelling" {
				continue // TestProjectIsCreatedOnceThoughAnAnswerIsLost, TestWhatReadsIsAskedAgainAfterALostAnswer
			}
			var asked atomic.Int64
			c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				status(code)(w, r)
			})
			var refused *Error
			if err := call(t.Context(), c, t.TempDir()); !errors.As(err, &refused) || refused.StatusCode != code {
				t.Errorf("%s: got %v, want %d", name, err, code)
			}
			if asked.Load() != 1 || clock.slept != nil {
				t.Errorf("%s: %d: asked %d times, waited %v", name, code, asked.Load(), clock.slept)
			}
		}
	}
}

// lost are answers that never came, as the client sees it.
var lost = map[string]http.HandlerFunc{"502": status(http.StatusBadGateway), "504": status(http.StatusGatewayTimeout), "a cut": broken}

func TestWhatReadsIsAskedAgainAfterALostAnswer(t *testing.T) {
	zip := []byte("a ZIP")
	for name, repeated := range map[string]bool{"listing projects": true, "status": true, "downloading": true, "cancelling": false} {
		for how, lose := range lost {
			answer := filesService(zip, sumOf(zip))
			var asked atomic.Int64
			c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) < 3 {
					lose(w, r)
					return
				}
				answer(w, r)
			})
			err := calls[name](t.Context(), c, t.TempDir())
			want := []time.Duration{500 * time.Millisecond, time.Second}
			if !repeated {
				want = nil
			}
			if (err == nil) != repeated || !slices.Equal(clock.slept, want) {
				t.Errorf("%s, %s: waited %v: %v", name, how, clock.slept, err)
			}
		}
	}
}

func TestProjectIsCreatedOnceThoughAnAnswerIsLost(t *testing.T) {
	for name, lose := range lost {
		keys := map[string]int{}
		var mu sync.Mutex
		asked := 0
		c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			keys[r.Header.Get("Idempotency-Key")]++
			if asked++; asked < 3 {
				lose(w, r)
				return
			}
			writeJSON(w, http.StatusOK, map[string]any{"success": true})
		})
		if _, err := c.CreateProject(t.Context(), api.ProjectRequest{Name: "x"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want := []time.Duration{500 * time.Millisecond, time.Second}; len(keys) != 1 || asked != 3 || !slices.Equal(clock.slept, want) {
			t.Errorf("%s: asked %d times with %d keys, waited %v", name, asked, len(keys), clock.slept)
		}
	}
}

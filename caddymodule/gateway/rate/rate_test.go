package rate_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/rate"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_900_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// subject is a limiter under test, with a way to let its time pass.
type subject struct {
	rate.Limiter
	advance func(time.Duration)
}

// hourly is so slow that the time a test takes adds no token.
func hourly(n, burst int) rate.Limit { return rate.Limit{Rate: n, Burst: burst, Per: time.Hour} }

// testLimiter is the suite that every Limiter passes.
func testLimiter(t *testing.T, open func(t *testing.T) subject) {
	ctx := t.Context()
	t.Run("a burst is allowed and no more", func(t *testing.T) {
		s := open(t)
		if got := take(ctx, s, "k", hourly(1, 30), 50); got != 30 {
			t.Errorf("allowed %d, want 30", got)
		}
	})
	t.Run("keys do not share", func(t *testing.T) {
		s := open(t)
		take(ctx, s, "a", hourly(1, 2), 3)
		if got := take(ctx, s, "b", hourly(1, 2), 3); got != 2 {
			t.Errorf("allowed %d, want 2", got)
		}
	})
	t.Run("a refusal says when, and then it is so", func(t *testing.T) {
		s := open(t)
		limit := hourly(2, 1)
		take(ctx, s, "k", limit, 1)
		wait := s.Take(ctx, "k", limit)
		if wait <= 29*time.Minute || wait > 30*time.Minute {
			t.Fatalf("wait is %s, want 30 minutes", wait)
		}
		s.advance(29 * time.Minute)
		if s.Take(ctx, "k", limit) == 0 {
			t.Error("allowed too early")
		}
		s.advance(time.Minute)
		if wait := s.Take(ctx, "k", limit); wait != 0 {
			t.Errorf("still to wait %s", wait)
		}
	})
	t.Run("tokens do not pile up above the burst", func(t *testing.T) {
		s := open(t)
		take(ctx, s, "k", hourly(5, 3), 3)
		s.advance(24 * time.Hour)
		if got := take(ctx, s, "k", hourly(5, 3), 10); got != 3 {
			t.Errorf("allowed %d, want 3", got)
		}
	})
	t.Run("another limit is another bucket", func(t *testing.T) {
		s := open(t)
		take(ctx, s, "k", hourly(1, 2), 3)
		if got := take(ctx, s, "k", hourly(1, 4), 10); got != 4 {
			t.Errorf("allowed %d, want 4", got)
		}
	})
	t.Run("concurrent callers get no more than the burst", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		got := make([]int, 8)
		for i := range got {
			wg.Go(func() { got[i] = take(ctx, s, "k", hourly(1, 100), 50) })
		}
		wg.Wait()
		sum := 0
		for _, n := range got {
			sum += n
		}
		if sum != 100 {
			t.Errorf("allowed %d, want 100", sum)
		}
	})
}

// take takes n tokens and returns how many it got.
func take(ctx context.Context, s subject, key string, l rate.Limit, n int) (allowed int) {
	for range n {
		if s.Take(ctx, key, l) == 0 {
			allowed++
		}
	}
	return allowed
}

func TestARateThatIsKnownCostsNoAllocation(t *testing.T) {
	l := rate.NewLocal[string](10, time.Now)
	limit := rate.PerSecond(1_000_000, 1_000_000)
	if n := testing.AllocsPerRun(100, func() { l.Take(t.Context(), "key", limit) }); n != 0 {
		t.Errorf("it costs %v", n)
	}
}

func TestLocalLimiter(t *testing.T) {
	testLimiter(t, func(t *testing.T) subject {
		c := newClock()
		return subject{rate.NewLocal[string](100, c.Now), c.advance}
	})
}

func TestWaitTakesNothing(t *testing.T) {
	c := newClock()
	l := rate.NewLocal[string](10, c.Now)
	limit := hourly(1, 1)
	for range 3 {
		if l.Wait("k", limit) != 0 {
			t.Fatal("a bucket that no one used is empty")
		}
	}
	if l.Take(t.Context(), "k", limit) != 0 {
		t.Error("Wait took the token")
	}
	if got := l.Wait("k", limit); got != time.Hour {
		t.Errorf("wait is %s, want an hour", got)
	}
}

func TestLocalLimiterForgetsWhatWasNotUsedAndKeepsWhatIs(t *testing.T) {
	const size = 8
	c := newClock()
	l := rate.NewLocal[string](size, c.Now)
	limit := hourly(1, 1)
	l.Take(t.Context(), "busy", limit)
	l.Take(t.Context(), "quiet", limit)
	for i := range 3 * size {
		l.Take(t.Context(), string(rune('a'+i)), limit)
		if l.Take(t.Context(), "busy", limit) == 0 {
			t.Fatalf("forgot the busy key after %d others", i+1)
		}
	}
	if l.Take(t.Context(), "quiet", limit) != 0 {
		t.Error("remembers more than its size")
	}
}

func BenchmarkLocalLimiter(b *testing.B) {
	l := rate.NewLocal[string](1000, time.Now)
	limit := rate.PerSecond(1_000_000, 1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		l.Take(b.Context(), "key_01ARZ3NDEKTSV4RRFFQ69G5FAV", limit)
	}
}

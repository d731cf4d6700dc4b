package cache

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
)

// TestAnAnswerIsUsedForTheRequestsThatItIsGoodFor counts how often the sidecar is asked
// for a key and a decision of requests that differ in one fact.
func TestAnAnswerIsUsedForTheRequestsThatItIsGoodFor(t *testing.T) {
	first := peer.Request{ID: "r-1", IP: "192.0.2.1", Method: "GET", UserAgent: "curl"}
	for name, tc := range map[string]struct {
		reads policy.Reads
		other peer.Request
		wait  time.Duration
		asked int // of 4: two requests each ask for two answers
	}{
		"nothing is read":                {0, peer.Request{ID: "r-2", IP: "192.0.2.2", Method: "HEAD", UserAgent: "wget"}, DefaultLife - time.Second, 2},
		"the address, another one":       {policy.ReadsIP, peer.Request{IP: "192.0.2.2", Method: "GET", UserAgent: "curl"}, 0, 4},
		"the address, the same one":      {policy.ReadsIP, peer.Request{ID: "r-2", IP: "192.0.2.1", Method: "HEAD", UserAgent: "wget"}, DefaultLife - time.Second, 2},
		"the address, later":             {policy.ReadsIP, first, DefaultLife, 4},
		"the method, another one":        {policy.ReadsMethod, peer.Request{IP: "192.0.2.1", Method: "HEAD", UserAgent: "curl"}, 0, 4},
		"the method, the same one":       {policy.ReadsMethod, peer.Request{IP: "192.0.2.2", Method: "GET", UserAgent: "wget"}, 0, 2},
		"the user agent, another one":    {policy.ReadsUserAgent, peer.Request{IP: "192.0.2.1", Method: "GET", UserAgent: "wget"}, 0, 4},
		"the user agent, the same one":   {policy.ReadsUserAgent, peer.Request{IP: "192.0.2.2", Method: "HEAD", UserAgent: "curl"}, 0, 2},
		"the time, within a second":      {policy.ReadsTime, peer.Request{IP: "192.0.2.2", Method: "HEAD", UserAgent: "wget"}, time.Second - 1, 2},
		"the time, a second later":       {policy.ReadsTime, first, time.Second, 4},
		"a later version's fact":         {policy.ReadsUserAgent << 1, peer.Request{ID: "r-2", IP: "192.0.2.1", Method: "GET", UserAgent: "curl"}, 0, 4},
		"address and time, the same one": {policy.ReadsIP | policy.ReadsTime, first, time.Second - 1, 2},
		"address and time, another one":  {policy.ReadsIP | policy.ReadsTime, peer.Request{IP: "192.0.2.2"}, time.Second - 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrigin()
			o.policyReads = tc.reads
			request := first
			bubble(t, o, Options{Request: func(context.Context) peer.Request { return request }}, func(t *testing.T, c *Cache) {
				ask := func() {
					wantAllowed(t, c, true)
					if d, err := c.Decide(t.Context(), "k", "p", policy.ActionStatus); err != nil || !d.Allow {
						t.Errorf("%+v, %v", d, err)
					}
					c.entries.Wait()
				}
				// The first look-up finds out what is read, the second finds what the first left.
				ask()
				ask()
				if n := o.count(); n != 2 {
					t.Fatalf("the same request asked %d times, want 2", n)
				}
				time.Sleep(tc.wait)
				request = tc.other
				if ask(); o.count() != tc.asked {
					t.Errorf("both asked %d times, want %d", o.count(), tc.asked)
				}
			})
		})
	}
}

// TestAPolicyThatBeginsToReadTheAddressDecidesOnEach has a policy take the place of one
// that read nothing, and another one of that.
func TestAPolicyThatBeginsToReadTheAddressDecidesOnEach(t *testing.T) {
	o := newOrigin()
	request := peer.Request{IP: "192.0.2.1"}
	bubble(t, o, Options{Request: func(context.Context) peer.Request { return request }}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		for i, step := range []struct {
			reads policy.Reads
			asked int
		}{{policy.ReadsIP, 3}, {0, 4}, {policy.ReadsMethod, 5}} {
			o.set(func(o *origin) { o.policyReads, o.basis = step.reads, string(rune('a'+i)) })
			time.Sleep(DefaultPoll)
			synctest.Wait()
			for _, ip := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.2"} {
				request.IP = ip
				wantAllowed(t, c, true)
			}
			if n := o.count(); n != step.asked {
				t.Errorf("step %d: the sidecar was asked %d times, want %d", i, n, step.asked)
			}
		}
	})
}

// TestWhatIsReadOfNoRequestIsNotLookedAt: a hit costs what it did before policies could
// read any.
func TestWhatIsReadOfNoRequestIsNotLookedAt(t *testing.T) {
	o := newOrigin()
	looks := 0
	bubble(t, o, Options{Request: func(context.Context) peer.Request { looks++; return peer.Request{} }}, func(t *testing.T, c *Cache) {
		wantAllowed(t, c, true)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := c.Authenticate(t.Context(), mint.KeyHash{1}); err != nil {
				t.Error(err)
			}
		}); n != 0 || looks != 0 {
			t.Errorf("a hit costs %v allocations and %d looks at its request", n, looks)
		}
	})
}

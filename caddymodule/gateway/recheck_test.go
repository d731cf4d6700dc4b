package gateway

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// rules is a sidecar that decides by the project, and lets no one do anything but
// read events.
type rules struct {
	sidecar.Service

	decisions map[string]policy.Decision // one that is not there can't be made
	asked     chan string                // each project that is asked about
}

func (r rules) Decide(_ context.Context, _, projectID string, action policy.Action) (policy.Decision, error) {
	r.asked <- projectID
	if action != policy.ActionEvents {
		return policy.Decision{Status: 403, Reason: "not of this policy"}, nil
	}
	d, ok := r.decisions[projectID]
	if !ok {
		return policy.Decision{}, errDown
	}
	return d, nil
}

func TestOnlyStreamsOfKeysThatAreNoLongerLetThroughEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		decision policy.Decision
		err      error
		reason   string // "" when the stream goes on
	}{
		"active again": {allowed, nil, ""},
		"revoked":      {policy.Decision{Status: 401, Reason: policy.KeyRevoked}, nil, streams.ReasonKeyRevoked},
		"disabled":     {policy.Decision{Status: 401, Reason: policy.KeyDisabled}, nil, streams.ReasonKeyDisabled},
		"unchecked":    {policy.Decision{}, errDown, streams.ReasonUnchecked},
	} {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{decision: tc.decision, decideErr: tc.err}
			var open streams.Registry
			s := opens(t, &open, streams.Reader{KeyID: "k", ProjectID: project})
			defer s.Done()
			r := NewRechecks(side, &open)
			defer r.Close()
			r.Keys([]string{"other", "k"})
			reason := ""
			select {
			case reason = <-s.Closing():
			default:
			}
			if reason != tc.reason {
				t.Errorf("reason is %q, want %q", reason, tc.reason)
			}
			if len(side.decided) != 1 {
				t.Errorf("the policy was asked about %q; keys without streams need no look", side.decided)
			}
		})
	}
}

// Each stream is judged by what it does: a policy may allow events and nothing else.
func TestStreamsOfAKeyThatChangedAreJudgedByTheEventsOfTheirProject(t *testing.T) {
	side := rules{asked: make(chan string, 10), decisions: map[string]policy.Decision{
		"mine": allowed, "shared": {Status: 403, Reason: "not a reader"},
	}}
	open := new(streams.Registry)
	r := NewRechecks(side, open)
	defer r.Close()
	mine := opens(t, open, streams.Reader{KeyID: "k", ProjectID: "mine"})
	defer mine.Done()
	shared := opens(t, open, streams.Reader{KeyID: "k", ProjectID: "shared"})
	defer shared.Done()
	other := opens(t, open, streams.Reader{KeyID: "other", ProjectID: "shared"})
	defer other.Done()
	r.Keys([]string{"k"})
	if len(mine.Closing()) != 0 || len(other.Closing()) != 0 {
		t.Error("a stream ended whose reader may go on")
	}
	if len(shared.Closing()) != 1 || <-shared.Closing() != streams.ReasonAccessLost {
		t.Error("a stream goes on whose reader may not")
	}
}

func TestWhoMayNoLongerLookAfterAChangeOfTheRulesLosesTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := rules{asked: make(chan string, 10), decisions: map[string]policy.Decision{
			"mine":   allowed,
			"shared": {Status: 403, Reason: "not a reader"},
			"dead":   {Status: 401, Reason: policy.KeyDisabled},
		}}
		want := map[string]string{
			"mine": "", "shared": streams.ReasonAccessLost, "dead": streams.ReasonKeyDisabled, "unknown": streams.ReasonUnchecked,
		}
		open := new(streams.Registry)
		r := NewRechecks(side, open)
		defer r.Close()
		opened := make(map[string]*streams.Stream)
		for project := range want {
			opened[project] = opens(t, open, streams.Reader{KeyID: "k", ProjectID: project})
			defer opened[project].Done()
		}
		second := opens(t, open, streams.Reader{KeyID: "k", ProjectID: "shared"})
		defer second.Done()
		console := opens(t, open, streams.Reader{UserID: "u", ProjectID: "shared"}) // let in by a session
		defer console.Done()

		r.All()
		synctest.Wait()
		for project, reason := range want {
			got := ""
			select {
			case got = <-opened[project].Closing():
			default:
			}
			if got != reason {
				t.Errorf("the stream of %s ended with %q, want %q", project, got, reason)
			}
		}
		if len(second.Closing()) == 0 || len(console.Closing()) != 0 {
			t.Error("the reader's second stream goes on, or one without a key ended")
		}
		if n := len(side.asked); n != len(want) {
			t.Errorf("%d decisions for %d readers", n, len(want))
		}
	})
}

func TestRoundsAskedForDuringOneAreOneMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := rules{asked: make(chan string), decisions: map[string]policy.Decision{"p": allowed}}
		open := new(streams.Registry)
		defer opens(t, open, streams.Reader{KeyID: "k", ProjectID: "p"}).Done()
		r := NewRechecks(side, open)
		defer r.Close()
		r.All()
		synctest.Wait() // the first round waits for its decision
		for range 100 {
			r.All()
		}
		for range 2 {
			<-side.asked
		}
		synctest.Wait()
		select {
		case <-side.asked:
			t.Error("there is a third round")
		default:
		}
	})
}

// byTime is a policy that lets in by the time, and by the address, and counts what it is
// asked.
type byTime struct {
	sidecar.Service
	closes time.Time
	asked  atomic.Int32
}

func (b *byTime) Decide(ctx context.Context, _, _ string, _ policy.Action) (policy.Decision, error) {
	b.asked.Add(1)
	reads := policy.ReadsTime | policy.ReadsIP
	if time.Now().Before(b.closes) && peer.RequestOf(ctx).IP == "192.0.2.1" {
		return policy.Decision{Allow: true, Status: 200, Reads: reads}, nil
	}
	return policy.Decision{Status: 403, Reads: reads}, nil
}

// TestAStreamEndsWithTheHoursThatItWasLetInBy and is asked about by the address that its
// client came from.
func TestAStreamEndsWithTheHoursThatItWasLetInBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &byTime{closes: time.Now().Add(time.Minute)}
		open := new(streams.Registry)
		r := NewRechecks(side, open)
		defer r.Close()
		reader := streams.Reader{KeyID: "k", ProjectID: project, Reach: sidecar.ReachOf(policy.ReadsTime|policy.ReadsIP, peer.Request{ID: "r-1", IP: "192.0.2.1"})}
		s := opens(t, open, reader)
		defer s.Done()
		time.Sleep(time.Minute - time.Second)
		synctest.Wait()
		if len(s.Closing()) != 0 || side.asked.Load() == 0 {
			t.Errorf("the stream ended within the hours, or was not asked about: %d", side.asked.Load())
		}
		time.Sleep(timedEvery)
		synctest.Wait()
		if len(s.Closing()) != 1 || <-s.Closing() != streams.ReasonAccessLost {
			t.Error("the stream goes on past the hours")
		}
	})
}

func TestStreamsOfAPolicyWithoutHoursAreNotAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &byTime{closes: time.Now().Add(time.Hour)}
		open := new(streams.Registry)
		r := NewRechecks(side, open)
		defer r.Close()
		s := opens(t, open, streams.Reader{KeyID: "k", ProjectID: project})
		defer s.Done()
		time.Sleep(time.Minute)
		synctest.Wait()
		if side.asked.Load() != 0 {
			t.Errorf("asked %d times", side.asked.Load())
		}
		// A policy that begins to read what is not known of the stream: its client comes
		// back with it.
		r.All()
		synctest.Wait()
		if len(s.Closing()) != 1 || <-s.Closing() != streams.ReasonUnchecked {
			t.Error("the stream goes on by facts that nobody knows")
		}
	})
}

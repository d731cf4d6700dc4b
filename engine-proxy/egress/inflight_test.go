package egress_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api/contract"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

const otherJob = "job_01HZZZZZZZZZZZZZZZZZZZZZZ0"

// leaveOpen sends a call that stays under way, and returns what is closed with it.
func (r *rig) leaveOpen(more string, read bool) (ended chan struct{}) {
	r.t.Helper()
	before := len(r.provider.Requests())
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		res, err := r.client().Do(r.request(ctx, "POST", "/v1/chat/completions", token, chatBody(more)))
		if err != nil {
			return
		}
		defer res.Body.Close()
		for read && err == nil {
			_, err = res.Body.Read(make([]byte, 1<<10))
		}
		if !read {
			<-ctx.Done()
		}
	}()
	r.t.Cleanup(func() { cancel(); <-ended })
	wait.Until(r.t, "the call is under way", func() bool { return len(r.provider.Requests()) > before })
	return ended
}

func TestJobThatHasEndedIsChargedInFullAndCallsNoMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakeprovider.Answer
		more   string
		reads  bool
	}{
		"no answer yet":                {fakeprovider.Stalls(false), "", true},
		"a stream":                     {fakeprovider.Endless(), `,"stream":true`, true},
		"an engine that does not read": {fakeprovider.Endless(), `,"stream":true`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.provider.Answer(c.answer)
			ended := r.leaveOpen(`,"max_tokens":70`+c.more, c.reads)
			if err := r.EndJob(t.Context(), project, job); err != nil {
				t.Fatal(err)
			}
			calls := r.ledger.charged()
			if len(calls) != 1 || calls[0].JobID != job {
				t.Fatalf("when the job had ended %+v was charged", calls)
			}
			if c.reads {
				<-ended // the engine sees that it is over
			}
			// The ledger has not heard of the end yet, and grants.
			r.provider.Answer(fakeprovider.Says("hello"))
			if p := r.chat(""); p.status != http.StatusConflict || p.reason() != "no_running_job" {
				t.Errorf("a call after the end: %d %s", p.status, p.body)
			}
			if n := len(r.provider.Requests()); n != 1 {
				t.Errorf("%d calls went out", n)
			}
		})
	}
}

func TestEndOfAJobLeavesCallsOfTheNextOneAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	answer := make(chan struct{})
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		<-answer
		fakeprovider.Says("hello")(p, w, q, f)
	})
	r.ledger.set(func() { r.ledger.grant = contract.CallGrant{JobID: otherJob} })
	ended := r.leaveOpen("", true)
	if err := r.EndJob(t.Context(), project, job); err != nil {
		t.Fatal(err)
	}
	if calls := r.ledger.charged(); len(calls) != 0 {
		t.Errorf("the other job's call was broken off: %+v", calls)
	}
	close(answer)
	<-ended
	wait.Until(t, "the other job's call is charged", func() bool { return len(r.ledger.charged()) == 1 })
}

// The end of a job waits for the ledger as the feed does: nobody is told that a
// job has ended, or may delete it, before it is charged.
func TestJobDoesNotEndWhileItsCallsCannotBeCharged(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
		r.ledger.set(func() { r.ledger.down = true })
		fakeprovider.Says("hello")(p, w, q, f)
	})
	if p := r.chat(""); p.status != 200 {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	if err := r.EndJob(t.Context(), project, job); err == nil {
		t.Error("the job ended without a ledger")
	}
	r.ledger.set(func() { r.ledger.down = false })
	if err := r.EndJob(t.Context(), project, job); err != nil {
		t.Fatal(err)
	}
	if calls := r.ledger.charged(); len(calls) != 1 {
		t.Errorf("charged %+v", calls)
	}
}

func TestJobOfAProjectThatNeverCalledEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if err := r.EndJob(t.Context(), "fedcba9876543210fedcba98", job); err != nil {
		t.Error(err)
	}
}

package contract

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
)

// modelCases hold for an engine that asks models; those that need a call are
// skipped for one that makes none.
var modelCases = []named{
	{"CallWaitsForTheStartAndCarriesTheToken", callWaits},
	{"EmptyBalanceEndsTheJobAsExhausted", emptyBalance},
	{"ModelThatFailsKeepsNoJobFromEnding", failingModel},
	{"EgressThatIsAwayKeepsNoJobFromEnding", egressAway},
	{"CancelledJobCutsItsCallOff", cancelCutsCall},
}

// startAsking starts an engine with an egress.
func startAsking(t *testing.T, target Target, answer http.HandlerFunc) (*engine, *egress) {
	t.Helper()
	e := newEngine(t, target)
	g := e.serveModels(answer)
	e.start()
	return e, g
}

// must ends the case unless a model was asked.
func (g *egress) must(t *testing.T, target Target) {
	t.Helper()
	if len(g.asked()) == 0 {
		target.askedNone(t)
	}
}

// askedNone ends a case that needs a call of a model, which an engine need not
// make unless it is said to.
func (target Target) askedNone(t *testing.T) {
	t.Helper()
	if target.AsksModels {
		t.Fatal("the engine asked no model")
	}
	t.Skip("the engine asks no model")
}

func callWaits(t *testing.T, target Target) {
	e, g := startAsking(t, target, says("What a nice idea!"))
	id := e.acceptRequest(asking())
	e.feed.until(wire.FeedStarted, id)
	e.feed.idle()
	if n := len(g.asked()); n != 0 {
		t.Errorf("%d calls came before the start was acknowledged", n)
	}
	e.feed.ack()
	e.checkCompleted("the job of a model that says nothing of use", e.feed.finish(id))
	g.must(t, target)
	for _, shown := range g.asked() {
		if shown != "Bearer "+e.token {
			t.Errorf("a call carries %q", shown)
		}
	}
}

func emptyBalance(t *testing.T, target Target) {
	e, g := startAsking(t, target, refuses(http.StatusPaymentRequired, "tik_exhausted"))
	record := e.feed.finish(e.acceptRequest(asking()))
	g.must(t, target)
	e.checkFailed("the job", record, api.FailureTIKExhausted)
	e.checkEnded(record)
}

func failingModel(t *testing.T, target Target) {
	for what, answer := range map[string]http.HandlerFunc{
		"502": refuses(http.StatusBadGateway, "provider_failed"),
		"429": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "1")
			refuses(http.StatusTooManyRequests, "rate_limited")(w, r)
		},
		"403":               refuses(http.StatusForbidden, "model_not_allowed"),
		"a broken answer":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"choices":[{"mess`)) },
		"a connection lost": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(what, func(t *testing.T) {
			e, _ := startAsking(t, target, answer)
			record := e.feed.finish(e.acceptRequest(asking()))
			if !record.Status.Terminal() || record.Status == api.JobCancelled || failure(record) == api.FailureTIKExhausted {
				t.Errorf("the job: %+v", record)
			}
			e.checkEnded(record)
		})
	}
}

func egressAway(t *testing.T, target Target) {
	e := newEngine(t, target)
	g := e.serveModels(says("nothing"))
	if err := os.Remove(g.address); err != nil {
		t.Fatal(err)
	}
	e.start()
	record := e.feed.finish(e.acceptRequest(asking()))
	if !record.Status.Terminal() || record.Status == api.JobCancelled {
		t.Errorf("the job: %+v", record)
	}
	e.checkEnded(record)
}

func cancelCutsCall(t *testing.T, target Target) {
	left := make(chan struct{}, 1)
	e, g := startAsking(t, target, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		select {
		case left <- struct{}{}:
		default:
		}
	})
	id := e.acceptRequest(asking())
	e.feed.until(wire.FeedStarted, id)
	e.feed.ack()
	for came := false; !came; {
		select {
		case <-g.came:
			came = true
		default:
			if rec, ok := e.feed.next(quiet); ok && rec.Kind == wire.FeedEnded {
				target.askedNone(t)
			}
			e.feed.ack()
		}
	}
	began := time.Now()
	record := e.cancel(id)
	if took := time.Since(began); record.Status != api.JobCancelled || took > 2*time.Second+target.Slack {
		t.Errorf("after %s the job is %+v", took, record)
	}
	select {
	case <-left:
	case <-time.After(2*time.Second + target.Slack):
		t.Error("the call of a cancelled job goes on")
	}
}

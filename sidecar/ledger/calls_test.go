package ledger_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

func TestCallIsGrantedForTheRunningJobAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		want := func(when, jobID string) {
			t.Helper()
			grant, err := f.ledger.GrantCall(t.Context(), f.project)
			f.must(err)
			if grant != (contract.CallGrant{JobID: jobID}) {
				t.Errorf("%s: %+v, want job %q", when, grant, jobID)
			}
		}
		want("without jobs", "")
		first, second := f.accept(key), f.accept(key)
		want("with queued jobs", "")
		f.feed(f.started(first, "step"))
		want("with one running", first)
		f.feed(f.ended(first, api.JobCompleted))
		want("with that one ended", "")
		f.feed(f.started(second, ""))
		want("with the next one running", second)
		if grant, err := f.ledger.GrantCall(t.Context(), f.newProject()); err != nil || grant.JobID != "" {
			t.Errorf("another project: %+v, %v", grant, err)
		}
	})
}

func TestCallIsChargedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		id := f.accept(key)
		f.feed(f.started(id, "step"))
		call := contract.Call{ProjectID: f.project, ID: 7, JobID: id, Units: []contract.Unit{{Name: "step", Quantity: 3}}}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := f.ledger.ChargeCall(t.Context(), call); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		call.ID = 8
		f.must(f.ledger.ChargeCall(t.Context(), call))
		f.feed(f.ended(id, api.JobCancelled))
		call.ID = 9 // was under way when the job ended
		f.must(f.ledger.ChargeCall(t.Context(), call))
		if got := f.balance(); got != 10*api.MicroPerTIK {
			t.Errorf("balance %s, want 10", got)
		}
		if u := f.usage(key); u.TIKThisMonth != 90*api.MicroPerTIK || f.job(id).TIKSpent != 90*api.MicroPerTIK {
			t.Errorf("usage %+v, job %s", u, f.job(id).TIKSpent)
		}
	})
}

func TestTokensOfACacheCostWhatInputDoesUnlessTheyHaveAPriceOfTheirOwn(t *testing.T) {
	prices := map[string]api.TIK{"step": 1, "free": 0, "model.m.input": 4, "model.m.output": 20, "model.k.input": 4, "model.k.cached": 1, "model.k.cache_write": 5, "model.k.output": 20}
	for model, want := range map[string]api.TIK{"m": 4 + 30*4 + 7*4 + 2*20, "k": 4 + 30*1 + 7*5 + 2*20} {
		onEach(t, func(t *testing.T, f *fixture) {
			f.must(f.ledger.SetPrices(prices))
			id := f.accept(f.newKey(policy.Limits{}))
			f.feed(f.started(id, "step"))
			before := f.balance()
			f.must(f.ledger.ChargeCall(t.Context(), contract.Call{ProjectID: f.project, ID: 7, JobID: id, Units: []contract.Unit{
				{Name: "model." + model + ".input", Quantity: 1}, {Name: "model." + model + ".cached", Quantity: 30},
				{Name: "model." + model + ".cache_write", Quantity: 7}, {Name: "model." + model + ".output", Quantity: 2},
			}}))
			if got := before - f.balance(); got != want {
				t.Errorf("%s costs %d, want %d", model, got, want)
			}
		})
	}
}

func TestNoCallIsGrantedOnAnEmptyBalance(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		f.feed(f.started(id, "step"))
		call := contract.Call{ProjectID: f.project, ID: 1, JobID: id, Units: []contract.Unit{{Name: "step", Quantity: 10}}}
		f.must(f.ledger.ChargeCall(t.Context(), call))
		grant, err := f.ledger.GrantCall(t.Context(), f.project)
		f.must(err)
		if grant != (contract.CallGrant{JobID: id, Exhausted: true}) {
			t.Errorf("at zero: %+v", grant)
		}
		if stop := f.feed(f.used(id, "free", 1, "step")); len(stop) != 1 || stop[0].Code != api.FailureTIKExhausted {
			t.Errorf("the feed's verdict after it: %v", stop)
		}
	})
}

func TestCallThatCannotBeChargedIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		good := contract.Call{ProjectID: f.project, ID: 1, JobID: id, Units: []contract.Unit{{Name: "step", Quantity: 1}}}
		for name, spoil := range map[string]func(*contract.Call){
			"another project's job": func(c *contract.Call) { c.ProjectID = f.newProject() },
			"an unknown job":        func(c *contract.Call) { c.JobID = mint.NewJobID(f.clock.Now()) },
			"a unit without price":  func(c *contract.Call) { c.Units = []contract.Unit{{Name: "image", Quantity: 1}} },
			"a negative quantity":   func(c *contract.Call) { c.Units = []contract.Unit{{Name: "step", Quantity: -1}} },
		} {
			bad := good
			spoil(&bad)
			if err := f.ledger.ChargeCall(t.Context(), bad); err == nil {
				t.Errorf("%s was charged", name)
			}
		}
		if got := f.balance(); got != 100*api.MicroPerTIK {
			t.Errorf("balance %s, want 100", got)
		}
	})
}

func TestFeedCannotPassForTheEgress(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		b := f.batch(f.used(id, "free", 1, ""))
		b.FeedID, b.Records[0].FeedID = "egress", "egress"
		if _, err := f.ledger.ApplyFeed(t.Context(), b); err == nil {
			t.Error("a feed with the name of the egress was applied")
		}
	})
}

func TestUnpricedNamesTheHoles(t *testing.T) {
	l, err := ledger.New(ledger.Options{Prices: map[string]api.TIK{"model.m.input": 1, "model.m.output": 0}})
	if err != nil {
		t.Fatal(err)
	}
	holes, err := l.Unpriced(t.Context(), []string{"model.m.input", "image", "model.m.output", "audio"})
	if err != nil || !slices.Equal(holes, []string{"image", "audio"}) {
		t.Errorf("got %v, %v", holes, err)
	}
}

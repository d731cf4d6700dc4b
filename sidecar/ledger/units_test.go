package ledger_test

import (
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

// What an engine can't have done is never charged: its job must end first, and
// then what it reported counts for nothing.
func TestEngineIsBelievedWithinItsContractAlone(t *testing.T) {
	prices := map[string]api.TIK{
		"step": api.MicroPerTIK, contract.UnitJob: api.MicroPerTIK, contract.UnitImage: api.MicroPerTIK,
		contract.UnitAudio: api.MicroPerTIK, "model.writer.output": api.MicroPerTIK, "model.writer.input": 0,
	}
	type use struct {
		unit     string
		quantity int64
	}
	for name, c := range map[string]struct {
		before []use // which counts
		breach use
		paid   int64 // TIK
	}{
		"a model's tokens":           {breach: use{"model.writer.output", 1}},
		"a model's tokens, for 0":    {breach: use{"model.writer.input", 1}},
		"a picture":                  {breach: use{contract.UnitImage, 1}},
		"a sound":                    {breach: use{contract.UnitAudio, 1}},
		"a unit without a price":     {breach: use{"gold", 1}},
		"a negative quantity":        {breach: use{"step", -1}},
		"two jobs at once":           {breach: use{contract.UnitJob, 2}},
		"a second job":               {before: []use{{contract.UnitJob, 1}}, breach: use{contract.UnitJob, 1}, paid: 1},
		"what drains an account":     {breach: use{contract.UnitJob, 999_999_999}},
		"what 64 bits don't hold":    {breach: use{"step", 1 << 62}},
		"one step more than a job's": {before: []use{{"step", 600}, {"step", 400}}, breach: use{"step", 1}, paid: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				f.must(f.ledger.SetPrices(prices))
				had := f.balance()
				id := f.accept(f.newKey(policy.Limits{}))
				records := []contract.FeedRecord{f.started(id, "")}
				for _, u := range c.before {
					records = append(records, f.used(id, u.unit, u.quantity, ""))
				}
				good := len(records)
				records = append(records, f.used(id, c.breach.unit, c.breach.quantity, ""), f.progress(id))
				batch := f.batch(records...)
				for range 2 { // it stays so, however often the batch is told
					v, err := f.ledger.ApplyFeed(t.Context(), batch)
					f.must(err)
					if v.Breach == nil || v.Breach.JobID != id || v.Breach.Reason == "" || v.Cursor != uint64(good) {
						t.Fatalf("verdict %+v with breach %+v, want cursor %d", v, v.Breach, good)
					}
				}
				f.must(f.ledger.EndJob(t.Context(), f.record(id, api.JobFailed)))
				v, err := f.ledger.ApplyFeed(t.Context(), batch)
				f.must(err)
				if v.Breach != nil || v.Cursor != uint64(len(records)) {
					t.Errorf("after the end: %+v with breach %+v", v, v.Breach)
				}
				if got := had - f.balance(); got != api.TIK(c.paid)*api.MicroPerTIK {
					t.Errorf("it cost %s TIK, want %d", got, c.paid)
				}
			})
		})
	}
}

// A job's bound is its own: the next one has it again.
func TestWhatAJobReportsCountsForThatJobAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		f.must(f.ledger.SetPrices(map[string]api.TIK{contract.UnitJob: api.MicroPerTIK}))
		for range 3 {
			id := f.accept(key)
			f.feed(f.started(id, contract.UnitJob), f.used(id, contract.UnitJob, 1, ""), f.ended(id, api.JobCompleted))
		}
		if got := f.balance(); got != 97*api.MicroPerTIK {
			t.Errorf("balance %s, want 97", got)
		}
	})
}

// No sum leaves 64 bits, whatever is charged.
func TestDebtGrowsNoFurtherThanItsBound(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.must(f.ledger.SetPrices(map[string]api.TIK{"step": ledger.MaxAmount}))
		id := f.accept(f.newKey(policy.Limits{}))
		for i := range int64(5) {
			f.must(f.ledger.ChargeCall(t.Context(), contract.Call{
				ProjectID: f.project, ID: i + 1, JobID: id, Units: []contract.Unit{{Name: "step", Quantity: 1}},
			}))
		}
		if got, want := f.balance(), 100*api.MicroPerTIK-2*ledger.MaxAmount; got != want {
			t.Errorf("balance %s, want %s", got, want)
		}
	})
}

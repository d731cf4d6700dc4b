package ledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

// measured returns each sample that is not zero: a counter's value, and of a histogram how
// often it was observed.
func (f *fixture) measured() map[string]float64 {
	f.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(f.metrics.Collectors()...)
	families, err := registry.Gather()
	f.must(err)
	all := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := []string{family.GetName()}
			for _, l := range m.GetLabel() {
				name = append(name, l.GetValue())
			}
			if v := m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()); v != 0 {
				all[strings.Join(name, " ")] = v
			}
			if sum := m.GetHistogram().GetSampleSum(); family.GetName() == "svc_job_seconds" && sum != 0 {
				all[strings.Join(name, " ")+" sum"] = sum
			}
		}
	}
	return all
}

// TestWhatBecomesOfJobsIsCountedOnce: a report that comes again counts no second time, and an
// engine that gives a reason of its own makes no new label.
func TestWhatBecomesOfJobsIsCountedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.metrics = ledger.NewMetrics()
		f.restart()
		key := f.newKey(policy.Limits{})
		done, lost, odd, never := f.accept(key), f.accept(key), f.accept(key), f.reserve(key)
		f.must(f.ledger.Release(t.Context(), never))
		f.clock.Add(90 * time.Second)
		failed := f.ended(odd, api.JobFailed)
		failed.Record.Failure = &api.Failure{Code: "made_up_by_the_engine"}
		records := []contract.FeedRecord{
			f.started(done, "step"), f.used(done, "step", 2, ""), f.ended(done, api.JobCompleted), failed, f.progress(mint.NewJobID(f.clock.Now())),
		}
		again := f.batch(records...)
		f.feed(records...)
		_, err := f.ledger.ApplyFeed(t.Context(), again)
		f.must(err)
		end := f.record(lost, api.JobFailed)
		end.Failure = &api.Failure{Code: api.FailureEngineLost}
		f.must(f.ledger.EndJob(t.Context(), end))
		f.must(f.ledger.EndJob(t.Context(), end))
		call := contract.Call{ProjectID: f.project, ID: 1, JobID: done, Units: []contract.Unit{{Name: "step", Quantity: 1}}}
		f.must(f.ledger.ChargeCall(t.Context(), call))
		f.must(f.ledger.ChargeCall(t.Context(), call))
		for range 2 {
			if paid, err := f.ledger.BuyBlock(t.Context(), f.project, 1); !paid || err != nil {
				t.Fatalf("buying a block: %t, %v", paid, err)
			}
		}
		want := map[string]float64{
			"svc_jobs_ended_total  completed": 1, "svc_jobs_ended_total engine_lost failed": 1, "svc_jobs_ended_total other failed": 1,
			"svc_job_seconds completed": 1, "svc_job_seconds completed sum": 90, "svc_job_seconds failed": 2, "svc_job_seconds failed sum": 180,
			"svc_ledger_seconds reserve": 4, "svc_ledger_seconds commit": 3, "svc_ledger_seconds release": 1, "svc_ledger_seconds feed": 2,
			"svc_tik_charged_total steps": 20, "svc_tik_charged_total calls": 10, "svc_tik_charged_total games": 0.01,
			"svc_unadmitted_jobs_total": 2, // each time that it is reported
		}
		got := f.measured()
		for name, v := range want {
			if got[name] != v {
				t.Errorf("%s is %v, want %v", name, got[name], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("there are %v", got)
		}
	})
}

package ledger_test

import (
	"fmt"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// engineJob is a running job of a project of its own, with the feed of the
// engine that runs it. Each step costs 10 TIK.
type engineJob struct {
	f       *fixture
	id      string
	project string
	seq     uint64
	stopped bool
	steps   int
}

func (j *engineJob) report(record contract.FeedRecord) {
	j.f.t.Helper()
	j.seq++
	record.FeedID, record.Seq, record.At = "feed", j.seq, j.f.clock.Now()
	v, err := j.f.ledger.ApplyFeed(j.f.t.Context(), contract.FeedBatch{
		ProjectID: j.project, FeedID: "feed", Records: []contract.FeedRecord{record},
	})
	j.f.must(err)
	for _, stop := range v.Stop {
		if stop != (contract.Stop{JobID: j.id, Code: api.FailureTIKExhausted}) {
			j.f.t.Errorf("stop %+v", stop)
		}
		j.stopped = true
	}
}

// fail ends the job as its engine does when it is told to stop.
func (j *engineJob) fail() {
	j.f.t.Helper()
	r := j.f.record(j.id, api.JobFailed)
	r.Failure = &api.Failure{Code: api.FailureTIKExhausted, Message: "The TIK balance is used up."}
	j.report(contract.FeedRecord{Kind: contract.FeedEnded, JobID: j.id, Record: &r})
}

func TestAllJobsOfAUserFailAtTheirNextStepOnceTheBalanceIsUsedUp(t *testing.T) {
	for _, tc := range []struct{ jobs, underWay int }{{1, 1}, {3, 1}, {3, 3}, {7, 4}} {
		t.Run(fmt.Sprintf("%d jobs, %d steps under way at once", tc.jobs, tc.underWay), func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				key := f.newKey(policy.Limits{})
				jobs := make([]*engineJob, tc.jobs)
				for i := range jobs {
					f.project = f.newProject()
					jobs[i] = &engineJob{f: f, id: f.accept(key), project: f.project}
					jobs[i].report(f.started(jobs[i].id, "step"))
				}
				running := func() (list []*engineJob) {
					for _, j := range jobs {
						if !j.stopped {
							list = append(list, j)
						}
					}
					return list
				}
				// Steps begin together, by the verdicts at hand, and then all are
				// reported: those are the steps under way.
				for round := 0; len(running()) > 0; round++ {
					begun := running()
					for _, j := range begun[:min(tc.underWay, len(begun))] {
						j.steps++
						j.report(f.used(j.id, "step", 1, "step"))
					}
					if f.balance() <= 0 {
						for _, j := range running() { // each asks before its next step
							v, err := f.ledger.ApplyFeed(t.Context(), contract.FeedBatch{ProjectID: j.project, FeedID: "feed"})
							f.must(err)
							j.stopped = len(v.Stop) == 1 && v.Stop[0].JobID == j.id
						}
					}
					if round > 20 {
						t.Fatal("the jobs never stop")
					}
				}
				if over, most := -f.balance(), api.TIK(tc.underWay-1)*10*api.MicroPerTIK; over < 0 || over > most {
					t.Errorf("overdraft %s, want at most %s: the steps under way", over, most)
				}
				var charged api.TIK
				for _, j := range jobs {
					j.fail()
					job := f.job(j.id)
					if job.Status != api.JobFailed || job.Failure == nil || job.Failure.Code != api.FailureTIKExhausted || !job.Settled {
						t.Errorf("record %+v", job)
					}
					if want := api.TIK(j.steps) * 10 * api.MicroPerTIK; job.TIKSpent != want {
						t.Errorf("spent %s, want %s", job.TIKSpent, want)
					}
					charged += job.TIKSpent
				}
				if charged+f.balance() != 100*api.MicroPerTIK {
					t.Errorf("charged %s of 100, balance %s", charged, f.balance())
				}
				f.wantUsage(key, int64(tc.jobs), int64(tc.jobs), 0)
			})
		})
	}
}

func TestJobThatHasNothingToPayForRunsWithoutABalance(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		spent := engineJob{f: f, id: f.accept(key), project: f.project}
		spent.report(f.started(spent.id, "step"))
		for f.balance() >= 0 {
			spent.report(f.used(spent.id, "step", 1, "step"))
		}
		f.project = f.newProject()
		free := engineJob{f: f, id: f.accept(key), project: f.project}
		if free.report(f.started(free.id, "")); free.stopped || !spent.stopped {
			t.Errorf("with a balance of %s: a job without a priced step is stopped: %v, one with: %v", f.balance(), free.stopped, spent.stopped)
		}
	})
}

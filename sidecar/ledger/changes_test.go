package ledger_test

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestEveryChangeOfAJobIsNotifiedWhenItCanBeRead(t *testing.T) {
	f := newFixture(t, storetest.Databases[0])
	key := f.newKey(policy.Limits{})
	var notified []string
	stop, complete := f.ledger.WatchJobs(func(jobID string) {
		if _, err := f.ledger.Job(t.Context(), jobID); err == nil {
			jobID += " " + string(f.job(jobID).Status)
		}
		notified = append(notified, jobID)
	})
	if !complete {
		t.Fatal("a store of one process has changes that are not told")
	}
	want := func(texts ...string) {
		t.Helper()
		if !slices.Equal(notified, texts) {
			t.Errorf("told %q, want %q", notified, texts)
		}
		notified = nil
	}
	id := f.accept(key)
	f.feed(f.started(id, "step"))
	want(id + " running")
	f.feed(f.used(id, "step", 1, ""), f.ended(id, api.JobCompleted))
	want(id + " completed")

	gone := f.reserve(key)
	f.must(f.ledger.Release(t.Context(), gone))
	want(gone)

	lost := f.accept(key)
	record := f.record(lost, api.JobFailed)
	f.must(f.ledger.EndJob(t.Context(), record))
	want(lost + " failed")

	stop()
	f.accept(key)
	f.must(f.ledger.Release(t.Context(), f.reserve(key)))
	want()
}

func TestASharedStoreNotifiesOfNoChange(t *testing.T) {
	f := newFixture(t, storetest.Databases[1])
	stop, complete := f.ledger.WatchJobs(func(string) { t.Error("told") })
	defer stop()
	if complete {
		t.Error("others change jobs as well")
	}
	f.must(f.ledger.Release(t.Context(), f.reserve(f.newKey(policy.Limits{}))))
}

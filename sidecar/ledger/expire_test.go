package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func TestPublishedJobIsKeptHoweverOld(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		published, other := f.accept(key), f.accept(key)
		f.feed(f.ended(published, api.JobCompleted), f.ended(other, api.JobCompleted))
		if _, err := f.catalog.Publish(t.Context(), f.project, published); err != nil {
			t.Fatal(err)
		}
		f.clock.Add(31 * 24 * time.Hour)
		if n, err := f.ledger.Expire(t.Context(), f.clock.Now()); n != 1 || err != nil {
			t.Errorf("forgot %d jobs, %v, want the other one", n, err)
		}
		f.job(published)
		if ids, err := f.ledger.PublishedJobs(t.Context()); err != nil || len(ids) != 1 || ids[0] != published {
			t.Errorf("published are %v, %v", ids, err)
		}
		f.must(f.catalog.Unpublish(t.Context(), f.project))
		if n, err := f.ledger.Expire(t.Context(), f.clock.Now()); n != 1 || err != nil {
			t.Errorf("taken back: forgot %d jobs, %v", n, err)
		}
	})
}

func TestExpiryForgetsOldEndedJobsAndNothingThatCounts(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		old, unfinished, young := f.accept(key), f.accept(key), f.accept(key)
		f.feed(f.started(old, "step"), f.used(old, "step", 1, ""), f.ended(old, api.JobCompleted))
		released := f.reserve(key)
		f.must(f.ledger.Release(t.Context(), released))
		f.clock.Add(31 * 24 * time.Hour)
		f.feed(f.ended(young, api.JobCompleted))
		balance, used := f.balance(), f.usage(key)

		n, err := f.ledger.Expire(t.Context(), f.clock.Now().Add(-30*24*time.Hour))
		if err != nil || n != 2 {
			t.Fatalf("forgot %d jobs, %v, want the ended and the released one", n, err)
		}
		if _, err := f.ledger.Job(t.Context(), old); !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("expired job: %v, want ErrUnknownJob", err)
		}
		for _, id := range []string{unfinished, young} {
			f.job(id)
		}
		if f.balance() != balance || f.usage(key) != used {
			t.Errorf("balance %v and usage %+v, before %v and %+v", f.balance(), f.usage(key), balance, used)
		}
		if n, err := f.ledger.Expire(t.Context(), f.clock.Now().Add(-30*24*time.Hour)); n != 0 || err != nil {
			t.Errorf("the second time: %d, %v", n, err)
		}
	})
}

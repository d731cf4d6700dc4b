package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
)

// TestTransitions makes every move from every state and looks at the state, the
// counters and the error after it.
func TestTransitions(t *testing.T) {
	reserved := func(f *fixture, key string) string { return f.reserve(key) }
	active := func(f *fixture, key string) string { return f.accept(key) }
	settled := func(f *fixture, key string) string {
		id := f.accept(key)
		f.feed(f.ended(id, api.JobCompleted))
		return id
	}
	released := func(f *fixture, key string) string {
		id := f.reserve(key)
		f.must(f.ledger.Release(f.t.Context(), id))
		return id
	}
	commit := func(f *fixture, id string) error { return f.ledger.Commit(f.t.Context(), id) }
	release := func(f *fixture, id string) error { return f.ledger.Release(f.t.Context(), id) }
	end := func(f *fixture, id string) error { return f.ledger.EndJob(f.t.Context(), f.record(id, api.JobFailed)) }
	resolve := func(v contract.FenceVerdict) func(*fixture, string) error {
		return func(f *fixture, id string) error { return f.ledger.Resolve(f.t.Context(), id, v) }
	}
	type counts struct{ jobs, running int64 }
	for _, tc := range []struct {
		name   string
		from   func(*fixture, string) string
		move   func(*fixture, string) error
		err    error
		status api.JobStatus // "" for a job that is unknown afterwards
		counts counts
	}{
		{"commit reserved", reserved, commit, nil, api.JobQueued, counts{1, 1}},
		{"commit active", active, commit, nil, api.JobQueued, counts{1, 1}},
		{"commit settled", settled, commit, nil, api.JobCompleted, counts{1, 0}},
		{"commit released", released, commit, sidecar.ErrReleased, "", counts{0, 0}},
		{"release reserved", reserved, release, nil, "", counts{0, 0}},
		{"release active", active, release, nil, api.JobQueued, counts{1, 1}},
		{"release settled", settled, release, nil, api.JobCompleted, counts{1, 0}},
		{"release released", released, release, nil, "", counts{0, 0}},
		{"end reserved", reserved, end, nil, api.JobFailed, counts{1, 0}},
		{"end active", active, end, nil, api.JobFailed, counts{1, 0}},
		{"end settled: the first end wins", settled, end, nil, api.JobCompleted, counts{1, 0}},
		{"end released", released, end, nil, "", counts{0, 0}},
		{"accepted reserved", reserved, resolve(contract.Accepted), nil, api.JobQueued, counts{1, 1}},
		{"fenced reserved", reserved, resolve(contract.Fenced), nil, "", counts{0, 0}},
		{"fenced active", active, resolve(contract.Fenced), nil, api.JobQueued, counts{1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				key := f.newKey(policy.Limits{})
				id := tc.from(f, key)
				for range 2 { // each move may come twice
					if err := tc.move(f, id); !errors.Is(err, tc.err) {
						t.Fatalf("got %v, want %v", err, tc.err)
					}
				}
				f.wantUsage(key, tc.counts.jobs, tc.counts.jobs, tc.counts.running)
				job, err := f.ledger.Job(t.Context(), id)
				if tc.status == "" {
					if !errors.Is(err, sidecar.ErrUnknownJob) {
						t.Errorf("job %+v, %v; want it unknown", job, err)
					}
					return
				}
				f.must(err)
				if job.Status != tc.status || job.Settled != tc.status.Terminal() {
					t.Errorf("status %s, settled %v; want %s", job.Status, job.Settled, tc.status)
				}
			})
		})
	}
}

func TestUnknownJobIsSaidToBeUnknown(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := mint.NewJobID(f.clock.Now())
		for name, err := range map[string]error{
			"commit":  f.ledger.Commit(t.Context(), id),
			"release": f.ledger.Release(t.Context(), id),
			"end":     f.ledger.EndJob(t.Context(), f.record(id, api.JobFailed)),
		} {
			if !errors.Is(err, sidecar.ErrUnknownJob) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := f.ledger.Resolve(t.Context(), f.accept(f.newKey(policy.Limits{})), "perhaps"); err == nil {
			t.Error("an unknown verdict was accepted")
		}
	})
}

func TestReleaseAfterMidnightUndoesTheDayItCountedIn(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.clock.Set(time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC))
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1)), JobsPerMonth: new(int64(1))})
		late := f.reserve(key)
		f.clock.Add(2 * time.Second) // another day and another month
		f.accept(key)
		f.must(f.ledger.Release(t.Context(), late))
		f.wantUsage(key, 1, 1, 1)
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
	})
}

func TestBucketsRollOverAtMidnightUTCAndNeverBack(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		// 23:30 in UTC-1 is 00:30 of the next day in UTC.
		f.clock.Set(time.Date(2028, 2, 28, 23, 30, 0, 0, time.FixedZone("", -3600)))
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
		f.accept(key)
		f.clock.Set(time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC)) // leap day
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		if got := wantLimit(t, err, api.LimitJobsPerDay).RetryAfter; got != time.Second {
			t.Errorf("retry after %v, want 1s", got)
		}
		f.clock.Add(time.Second) // 1 March
		f.accept(key)
		f.wantUsage(key, 1, 1, 2)
		f.clock.Add(-time.Hour) // the clock steps back into a day that is full
		f.wantUsage(key, 1, 1, 2)
		_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
	})
}

func TestDeadlineMakesAReservationOverdueAndNotFree(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{MaxConcurrentJobs: new(int64(1))})
		id := f.reserve(key)
		f.clock.Add(ledger.DefaultDeadline + time.Second)
		open, err := f.ledger.OpenJobs(t.Context(), f.project)
		f.must(err)
		if len(open) != 1 || !open[0].Reserved || !open[0].Overdue || open[0].OwnerID != "alice" || open[0].Record.JobID != id {
			t.Fatalf("open jobs %+v", open)
		}
		_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitMaxConcurrentJobs)
		f.must(f.ledger.Commit(t.Context(), id)) // late, but not released

		open, err = f.ledger.OpenJobs(t.Context(), "")
		f.must(err)
		if len(open) != 1 || open[0].Reserved || open[0].Overdue {
			t.Errorf("open jobs %+v", open)
		}
		if open, err = f.ledger.OpenJobs(t.Context(), f.newProject()); err != nil || len(open) != 0 {
			t.Errorf("another project's open jobs: %+v, %v", open, err)
		}
	})
}

func TestAwaitEndReturnsAtSettlement(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		type result struct {
			job sidecar.Job
			err error
		}
		results := make(chan result, 3)
		for range cap(results) {
			go func() {
				job, err := f.ledger.AwaitEnd(context.Background(), id)
				results <- result{job, err}
			}()
		}
		f.feed(f.started(id, ""), f.ended(id, api.JobCancelled))
		for range cap(results) {
			r := <-results
			if r.err != nil || !r.job.Settled || r.job.Status != api.JobCancelled {
				t.Errorf("got %+v, %v", r.job, r.err)
			}
		}
		if job, err := f.ledger.AwaitEnd(t.Context(), id); err != nil || !job.Settled {
			t.Errorf("after the end: %+v, %v", job, err)
		}
	})
}

func TestAwaitEndEndsWithItsContextAndAtARelease(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.reserve(f.newKey(policy.Limits{}))
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 1)
		wait := func(ctx context.Context) {
			_, err := f.ledger.AwaitEnd(ctx, id)
			errs <- err
		}
		go wait(ctx)
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		go wait(t.Context())
		f.must(f.ledger.Release(t.Context(), id))
		if err := <-errs; !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("got %v, want ErrUnknownJob", err)
		}
	})
}

func TestEverythingIsThereAfterARestart(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(3))})
		done, running, waiting := f.accept(key), f.accept(key), f.reserve(key)
		f.feed(f.started(done, "step"), f.used(done, "step", 2, ""), f.ended(done, api.JobCompleted), f.started(running, ""))

		f.restart()

		f.wantUsage(key, 3, 3, 2)
		if got := f.balance(); got != 80*api.MicroPerTIK {
			t.Errorf("balance %s, want 80", got)
		}
		if job := f.job(done); !job.Settled || job.Status != api.JobCompleted || job.TIKSpent != 20*api.MicroPerTIK {
			t.Errorf("the job that was done: %+v", job)
		}
		cursor, err := f.ledger.FeedCursor(t.Context(), f.project, "feed")
		if err != nil || cursor != 4 {
			t.Errorf("cursor %d, %v; want 4", cursor, err)
		}
		_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
		f.must(f.ledger.Release(t.Context(), waiting))
		f.feed(f.ended(running, api.JobFailed))
		f.wantUsage(key, 2, 2, 0)
	})
}

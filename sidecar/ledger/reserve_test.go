package ledger_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
)

func TestReservationCountsAndKnowsItsSession(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(5))})
		r := f.reservation(key)
		r.Limits.JobsPerDay = new(int64(3))
		a, err := f.ledger.Reserve(t.Context(), r)
		f.must(err)
		project, err := f.catalog.Project(t.Context(), f.project)
		f.must(err)
		if a.SessionID == "" || a.SessionID != project.SessionID {
			t.Errorf("session %q, the project's is %q", a.SessionID, project.SessionID)
		}
		if a.Usage != (policy.Usage{JobsToday: 1, JobsThisMonth: 1, RunningJobs: 1}) {
			t.Errorf("usage %+v", a.Usage)
		}
		if *a.Limits.JobsPerDay != 3 || a.Limits.JobsPerMonth != nil {
			t.Errorf("limits %+v, want the narrowed ones", a.Limits)
		}
		job := f.job(r.JobID)
		if job.Status != api.JobQueued || job.SessionID != a.SessionID || job.KeyID != key || job.OwnerID != "alice" || job.Settled {
			t.Errorf("job %+v", job)
		}
	})
}

func TestEachLimitRefusesAndWritesNothing(t *testing.T) {
	for _, tc := range []struct {
		limit  string
		limits policy.Limits
		retry  time.Duration
	}{
		{api.LimitJobsPerDay, policy.Limits{JobsPerDay: new(int64(2))}, 12 * time.Hour},
		{api.LimitJobsPerMonth, policy.Limits{JobsPerMonth: new(int64(2))}, 10*24*time.Hour + 12*time.Hour},
		{api.LimitMaxConcurrentJobs, policy.Limits{MaxConcurrentJobs: new(int64(2))}, 5 * time.Second},
		{api.LimitTIKPerMonth, policy.Limits{TIKPerMonth: new(api.TIK(10 * api.MicroPerTIK))}, 10*24*time.Hour + 12*time.Hour},
		// All are hit: the first in the documented order is named.
		{api.LimitJobsPerDay, policy.Limits{
			JobsPerDay: new(int64(1)), JobsPerMonth: new(int64(1)),
			MaxConcurrentJobs: new(int64(1)), TIKPerMonth: new(api.TIK(1)),
		}, 12 * time.Hour},
	} {
		t.Run(tc.limit, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				key := f.newKey(policy.Limits{})
				first := f.accept(key)
				f.accept(key)
				f.feed(f.started(first, "step"), f.used(first, "step", 1, ""))
				_, err := f.keys.SetLimits(t.Context(), "test", key, 1, tc.limits)
				f.must(err)

				r := f.reservation(key)
				r.IdempotencyKey, r.Fingerprint = "once", "print"
				_, err = f.ledger.Reserve(t.Context(), r)
				refusal := wantLimit(t, err, tc.limit)
				if refusal.RetryAfter != tc.retry {
					t.Errorf("retry after %v, want %v", refusal.RetryAfter, tc.retry)
				}
				if refusal.Message == "" {
					t.Error("no message")
				}
				f.wantUsage(key, 2, 2, 2)
				if _, err := f.ledger.Job(t.Context(), r.JobID); !errors.Is(err, sidecar.ErrUnknownJob) {
					t.Errorf("the refused job: %v", err)
				}
			})
		})
	}
}

func TestLimitOfZeroRefusesTheFirstSubmission(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for limit, limits := range map[string]policy.Limits{
			api.LimitJobsPerDay:        {JobsPerDay: new(int64(0))},
			api.LimitJobsPerMonth:      {JobsPerMonth: new(int64(0))},
			api.LimitMaxConcurrentJobs: {MaxConcurrentJobs: new(int64(0))},
			api.LimitTIKPerMonth:       {TIKPerMonth: new(api.TIK(0))},
		} {
			_, err := f.ledger.Reserve(t.Context(), f.reservation(f.newKey(limits)))
			wantLimit(t, err, limit)
		}
	})
}

func TestRequestCanNarrowALimitButNotWidenIt(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
		f.accept(key)
		wide := f.reservation(key)
		wide.Limits.JobsPerDay = new(int64(10))
		_, err := f.ledger.Reserve(t.Context(), wide)
		wantLimit(t, err, api.LimitJobsPerDay)
		narrow := f.reservation(f.newKey(policy.Limits{}))
		narrow.Limits.MaxConcurrentJobs = new(int64(0))
		_, err = f.ledger.Reserve(t.Context(), narrow)
		wantLimit(t, err, api.LimitMaxConcurrentJobs)
	})
}

func TestRaisedLimitAdmitsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
		f.accept(key)
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
		_, err = f.keys.SetLimits(t.Context(), "test", key, 1, policy.Limits{JobsPerDay: new(int64(2))})
		f.must(err)
		f.accept(key)
		f.wantUsage(key, 2, 2, 2)
	})
}

func TestLoweredLimitRefusesTheNextJobAndTouchesNoOther(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerMonth: new(int64(3))})
		f.accept(key)
		f.accept(key)
		_, err := f.keys.SetLimits(t.Context(), "test", key, 1, policy.Limits{JobsPerMonth: new(int64(1))})
		f.must(err)
		_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerMonth)
		f.wantUsage(key, 2, 2, 2)
	})
}

func TestKeyThatIsNotActiveIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		_, err := f.keys.Disable(t.Context(), "test", key)
		f.must(err)
		wantState := func(reason string) {
			t.Helper()
			_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
			var refusal *answers.Error
			if !errors.As(err, &refusal) || refusal.Status != 401 || refusal.Reason != reason {
				t.Errorf("got %v, want 401 %s", err, reason)
			}
		}
		wantState(api.ReasonDisabled)
		_, err = f.keys.Enable(t.Context(), "test", key)
		f.must(err)
		f.accept(key)
		_, err = f.keys.Revoke(t.Context(), "test", key)
		f.must(err)
		wantState(api.ReasonRevoked)
		f.wantUsage(key, 1, 1, 1) // the accepted job runs on

		_, err = f.ledger.Reserve(t.Context(), f.reservation("key_unknown"))
		if !errors.Is(err, sidecar.ErrUnknownKey) {
			t.Errorf("unknown key: %v", err)
		}
		lost := f.reservation(f.newKey(policy.Limits{}))
		lost.ProjectID = "000000000000000000000000"
		if _, err = f.ledger.Reserve(t.Context(), lost); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("unknown project: %v", err)
		}
	})
}

func TestConcurrentSubmissionsAdmitExactlyTheLimit(t *testing.T) {
	const limit, clients = 5, 25
	for name, limits := range map[string]policy.Limits{
		api.LimitJobsPerDay:        {JobsPerDay: new(int64(limit))},
		api.LimitJobsPerMonth:      {JobsPerMonth: new(int64(limit))},
		api.LimitMaxConcurrentJobs: {MaxConcurrentJobs: new(int64(limit))},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				for range 5 {
					key := f.newKey(limits)
					f.project = f.newProject()
					var admitted, refused atomic.Int64
					var wg sync.WaitGroup
					for range clients {
						wg.Go(func() {
							_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
							var refusal *answers.Error
							switch {
							case err == nil:
								admitted.Add(1)
							case errors.As(err, &refusal) && refusal.Limit == name:
								refused.Add(1)
							default:
								t.Error(err)
							}
						})
					}
					wg.Wait()
					if admitted.Load() != limit || refused.Load() != clients-limit {
						t.Errorf("%d admitted, %d refused; want %d and %d", admitted.Load(), refused.Load(), limit, clients-limit)
					}
					f.wantUsage(key, limit, limit, limit)
				}
			})
		})
	}
}

func TestRevocationIsFinalForSubmissionsOnceItReturns(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		var revoked atomic.Bool
		var wg sync.WaitGroup
		for range 8 {
			project := f.newProject()
			wg.Go(func() {
				for range 20 {
					before := revoked.Load()
					r := f.reservation(key)
					r.ProjectID = project
					if _, err := f.ledger.Reserve(t.Context(), r); err == nil && before {
						t.Error("admitted after the revocation returned")
					}
				}
			})
		}
		_, err := f.keys.Revoke(t.Context(), "test", key)
		revoked.Store(true)
		wg.Wait()
		f.must(err)
		if _, err := f.ledger.Reserve(t.Context(), f.reservation(key)); err == nil {
			t.Error("admitted with a revoked key")
		}
	})
}

func TestProjectTakesOnlySoManyQueuedJobs(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		first := f.accept(key)
		for range ledger.DefaultMaxQueued - 1 {
			f.accept(key)
		}
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		var refusal *answers.Error
		if !errors.As(err, &refusal) || refusal.Status != 503 || refusal.RetryAfter != 5*time.Second {
			t.Fatalf("got %v, want 503 with Retry-After 5", err)
		}
		f.wantUsage(key, 20, 20, 20)
		f.feed(f.started(first, "")) // a running job waits no more
		f.accept(key)
	})
}

func TestIdempotencyKeyReplaysTheJobItMade(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
		submit := func(fingerprint string) (sidecar.Admission, string, error) {
			r := f.reservation(key)
			r.IdempotencyKey, r.Fingerprint = "once", fingerprint
			a, err := f.ledger.Reserve(t.Context(), r)
			return a, r.JobID, err
		}
		if job, err := f.ledger.Replay(t.Context(), key, "once", "print"); job != nil || err != nil {
			t.Errorf("before the first: %+v, %v", job, err)
		}
		_, first, err := submit("print")
		f.must(err)

		_, _, err = submit("print")
		var inFlight *answers.Error
		if !errors.As(err, &inFlight) || inFlight.Status != 409 {
			t.Errorf("in flight: %v, want 409", err)
		}
		if _, err = f.ledger.Replay(t.Context(), key, "once", "print"); !errors.As(err, &inFlight) || inFlight.Status != 409 {
			t.Errorf("in flight: %v, want 409", err)
		}
		f.must(f.ledger.Commit(t.Context(), first))
		again, _, err := submit("print")
		f.must(err) // although the day's limit is hit
		if again.Replayed == nil || again.Replayed.JobID != first || again.SessionID == "" {
			t.Errorf("replay %+v, want job %s", again, first)
		}
		if job, err := f.ledger.Replay(t.Context(), key, "once", "print"); err != nil || job == nil || job.JobID != first {
			t.Errorf("replay %+v, %v, want job %s", job, err, first)
		}
		if _, _, err = submit("other"); !errors.Is(err, sidecar.ErrIdempotencyMismatch) {
			t.Errorf("other body: %v", err)
		}
		if _, err = f.ledger.Replay(t.Context(), key, "once", "other"); !errors.Is(err, sidecar.ErrIdempotencyMismatch) {
			t.Errorf("other body: %v", err)
		}
		if job, err := f.ledger.Replay(t.Context(), f.newKey(policy.Limits{}), "once", "print"); job != nil || err != nil {
			t.Errorf("another key: %+v, %v", job, err)
		}
		f.wantUsage(key, 1, 1, 1)
	})
}

func TestReleaseFreesTheIdempotencyKey(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		for range 2 {
			r := f.reservation(key)
			r.IdempotencyKey, r.Fingerprint = "once", "print"
			a, err := f.ledger.Reserve(t.Context(), r)
			f.must(err)
			if a.Replayed != nil {
				t.Error("a released job is replayed")
			}
			f.must(f.ledger.Release(t.Context(), r.JobID))
		}
		f.wantUsage(key, 0, 0, 0)
	})
}

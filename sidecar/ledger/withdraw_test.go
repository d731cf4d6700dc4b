package ledger_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// TestAJobIDIsReservedOnce has two gateways ask for the same reservation at the
// same time, as when an answer was lost: the limit is one.
func TestAJobIDIsReservedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for range 20 {
			r := f.reservation(f.newKeyOf("user-"+mint.NewJobID(f.clock.Now()), policy.Limits{
				JobsPerDay: new(int64(1)), JobsPerMonth: new(int64(1)), MaxConcurrentJobs: new(int64(1)),
			}))
			r.IdempotencyKey, r.Fingerprint = "once", "body"
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					a, err := f.ledger.Reserve(t.Context(), r)
					if err != nil || a.Replayed != nil || a.SessionID == "" || a.Usage.JobsToday != 1 || a.Usage.RunningJobs != 1 || *a.Limits.JobsPerDay != 1 {
						t.Errorf("admission %+v, %v", a, err)
					}
				})
			}
			wg.Wait()
			f.wantUsage(r.KeyID, 1, 1, 1)
			f.must(f.ledger.Release(t.Context(), r.JobID))
		}
	})
}

func TestAReservationIsFoundThoughItsKeyWasRevokedSince(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := f.reservation(f.newKey(policy.Limits{}))
		_, err := f.ledger.Reserve(t.Context(), r)
		f.must(err)
		_, err = f.keys.Revoke(t.Context(), "test", r.KeyID)
		f.must(err)
		if _, err := f.ledger.Reserve(t.Context(), r); err != nil {
			t.Errorf("the same again: %v", err)
		}
		if _, err := f.ledger.Reserve(t.Context(), f.reservation(r.KeyID)); err == nil {
			t.Error("another was admitted")
		}
	})
}

func TestAJobIDOfAnotherSubmissionIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		taken, running := f.reservation(key), f.accept(key)
		_, err := f.ledger.Reserve(t.Context(), taken)
		f.must(err)
		for name, r := range map[string]sidecar.Reservation{
			"of another key":     {JobID: taken.JobID, KeyID: f.newKey(policy.Limits{}), ProjectID: f.project},
			"of another project": {JobID: taken.JobID, KeyID: key, ProjectID: f.newProject()},
			"of a running job":   {JobID: running, KeyID: key, ProjectID: f.project},
		} {
			if _, err := f.ledger.Reserve(t.Context(), r); err == nil {
				t.Errorf("%s: admitted", name)
			}
		}
		if err := f.ledger.Withdraw(t.Context(), sidecar.Reservation{JobID: taken.JobID, KeyID: f.newKey(policy.Limits{}), ProjectID: f.project}); err == nil {
			t.Error("withdrawn with another key")
		}
		f.wantUsage(key, 2, 2, 2)
	})
}

func TestWithdrawnReservationIsNotMadeHoweverLateItComes(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{MaxConcurrentJobs: new(int64(1))})
		for name, before := range map[string]func(sidecar.Reservation) error{
			"it never came": func(sidecar.Reservation) error { return nil },
			"it was made":   func(r sidecar.Reservation) error { _, err := f.ledger.Reserve(t.Context(), r); return err },
			"it was released": func(r sidecar.Reservation) error {
				_, err := f.ledger.Reserve(t.Context(), r)
				return errors.Join(err, f.ledger.Release(t.Context(), r.JobID))
			},
		} {
			r := f.reservation(key)
			r.IdempotencyKey = "once"
			f.must(before(r))
			for range 2 {
				f.must(f.ledger.Withdraw(t.Context(), r))
				f.wantUsage(key, 0, 0, 0)
				if _, err := f.ledger.Reserve(t.Context(), r); !errors.Is(err, sidecar.ErrReleased) {
					t.Errorf("%s: got %v, want ErrReleased", name, err)
				}
			}
			if _, err := f.ledger.Job(t.Context(), r.JobID); !errors.Is(err, sidecar.ErrUnknownJob) {
				t.Errorf("%s: the job is %v", name, err)
			}
			if err := f.ledger.Commit(t.Context(), r.JobID); !errors.Is(err, sidecar.ErrReleased) {
				t.Errorf("%s: a commit: %v, want ErrReleased", name, err)
			}
		}
		f.wantUsage(key, 0, 0, 0)
		f.accept(key)
		page, err := f.ledger.ProjectJobs(t.Context(), f.project, "")
		if err != nil || len(page.Jobs) != 1 {
			t.Errorf("jobs %+v, %v; want the one that was accepted", page.Jobs, err)
		}
	})
}

func TestWithdrawalLeavesACommittedJobAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := f.reservation(f.newKey(policy.Limits{}))
		_, err := f.ledger.Reserve(t.Context(), r)
		f.must(err)
		f.must(f.ledger.Commit(t.Context(), r.JobID))
		f.must(f.ledger.Withdraw(t.Context(), r))
		f.wantUsage(r.KeyID, 1, 1, 1)
	})
}

func TestWithdrawalOfWhatCanNotBeSubmittedWritesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := f.reservation("key_none")
		f.must(f.ledger.Withdraw(t.Context(), r))
		var rows int
		f.must(f.store.View(t.Context(), func(v *store.Reader) error { return v.Row("SELECT count(*) FROM jobs").Scan(&rows) }))
		if rows != 0 {
			t.Errorf("%d rows", rows)
		}
	})
}

package ledger_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

func TestFeedMirrorsTheRecord(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		session := f.job(id).SessionID
		f.feed(f.started(id, ""))
		if job := f.job(id); job.Status != api.JobRunning || job.Progress.Percent != 40 || job.SessionID != session {
			t.Errorf("after started: %+v", job)
		}
		r := f.progress(id)
		r.Record.Progress.Percent, r.Record.LastEventID = 70, 9
		r.Record.SessionID, r.Record.ProjectID = "ses_other", "other" // an engine has no say in these
		f.feed(r)
		if job := f.job(id); job.Progress.Percent != 70 || job.LastEventID != 9 || job.SessionID != session || job.ProjectID != f.project {
			t.Errorf("after progress: %+v", job)
		}
	})
}

func TestFeedRecordOfAReservationCommitsIt(t *testing.T) {
	for name, record := range map[string]func(*fixture, string) contract.FeedRecord{
		"started":  func(f *fixture, id string) contract.FeedRecord { return f.started(id, "") },
		"progress": func(f *fixture, id string) contract.FeedRecord { return f.progress(id) },
		"usage":    func(f *fixture, id string) contract.FeedRecord { return f.used(id, "free", 1, "") },
		"ended":    func(f *fixture, id string) contract.FeedRecord { return f.ended(id, api.JobCompleted) },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				key := f.newKey(policy.Limits{})
				id := f.reserve(key)
				f.feed(record(f, id))
				f.must(f.ledger.Commit(t.Context(), id)) // comes second
				f.must(f.ledger.Release(t.Context(), id))
				running := int64(1)
				if name == "ended" {
					running = 0
				}
				f.wantUsage(key, 1, 1, running)
			})
		})
	}
}

func TestFeedAndCommitMayCross(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		for range 20 {
			id := f.reserve(key)
			batch := f.batch(f.started(id, ""), f.ended(id, api.JobCompleted))
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := f.ledger.Commit(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := f.ledger.ApplyFeed(t.Context(), batch); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			f.seq += 2
		}
		f.wantUsage(key, 20, 20, 0)
	})
}

func TestRepeatedRecordsAreAppliedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		id := f.accept(key)
		batch := f.batch(f.started(id, "step"), f.used(id, "step", 1, "step"), f.used(id, "step", 1, ""), f.ended(id, api.JobCompleted))
		for cut := 1; cut <= len(batch.Records); cut++ { // overlapping batches
			part := batch
			part.Records = batch.Records[:cut]
			v, err := f.ledger.ApplyFeed(t.Context(), part)
			f.must(err)
			if v.Cursor != uint64(cut) {
				t.Errorf("cursor %d, want %d", v.Cursor, cut)
			}
		}
		v, err := f.ledger.ApplyFeed(t.Context(), batch)
		f.must(err)
		if v.Cursor != 4 || len(v.Stop) != 0 {
			t.Errorf("verdict %+v", v)
		}
		if got := f.balance(); got != 80*api.MicroPerTIK {
			t.Errorf("balance %s, want 80", got)
		}
		u := f.usage(key)
		if u.TIKThisMonth != 20*api.MicroPerTIK || u.TIKSpent != 20*api.MicroPerTIK || u.RunningJobs != 0 {
			t.Errorf("usage %+v", u)
		}
	})
}

func TestMalformedBatchIsRefusedWhole(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		id := f.accept(key)
		for name, spoil := range map[string]func(b *contract.FeedBatch){
			"a gap after the cursor": func(b *contract.FeedBatch) { b.Records = b.Records[1:] },
			"a gap inside":           func(b *contract.FeedBatch) { b.Records[1].Seq = 3 },
			"another feed's record":  func(b *contract.FeedBatch) { b.Records[1].FeedID = "other" },
			"no feed":                func(b *contract.FeedBatch) { b.FeedID = "" },
			"an unknown kind":        func(b *contract.FeedBatch) { b.Records[1].Kind = "rumour" },
			"no record":              func(b *contract.FeedBatch) { b.Records[0].Record = nil },
			"another job's record":   func(b *contract.FeedBatch) { b.Records[0].Record.JobID = "job_other" },
			"an end that is none":    func(b *contract.FeedBatch) { b.Records[0].Kind = contract.FeedEnded },
			"an unknown status":      func(b *contract.FeedBatch) { b.Records[0].Record.Status = "paused" },
		} {
			batch := f.batch(f.started(id, "step"), f.used(id, "step", 1, ""))
			spoil(&batch)
			if _, err := f.ledger.ApplyFeed(t.Context(), batch); err == nil {
				t.Errorf("%s: accepted", name)
			}
			if job := f.job(id); job.Status != api.JobQueued || f.balance() != 100*api.MicroPerTIK {
				t.Fatalf("%s: changed something: %+v", name, job)
			}
		}
		gap := f.batch(f.started(id, ""), f.progress(id))
		gap.Records = gap.Records[1:]
		if _, err := f.ledger.ApplyFeed(t.Context(), gap); !errors.Is(err, ledger.ErrFeedGap) {
			t.Errorf("got %v, want ErrFeedGap", err)
		}
		f.feed(f.started(id, "")) // the feed itself is unharmed
	})
}

func TestRecordOfAJobThatWasNotAdmittedStopsItAndChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		released := f.reserve(key)
		f.must(f.ledger.Release(t.Context(), released))
		mine, other := f.project, f.newProject()
		f.project = other
		foreign := f.accept(key)
		f.project = mine

		for name, id := range map[string]string{
			"released":          released,
			"unknown":           mint.NewJobID(f.clock.Now()),
			"another project's": foreign,
		} {
			stops := f.feed(f.started(id, "step"), f.used(id, "step", 1, ""), f.ended(id, api.JobCompleted))
			if len(stops) != 1 || stops[0].JobID != id || stops[0].Code == "" {
				t.Errorf("%s: stops %+v", name, stops)
			}
		}
		f.wantUsage(key, 1, 1, 1)
		if got := f.balance(); got != 100*api.MicroPerTIK {
			t.Errorf("balance %s, want 100", got)
		}
		if job := f.job(foreign); job.Status != api.JobQueued {
			t.Errorf("the other project's job is %s", job.Status)
		}
	})
}

func TestJobStopsBeforeAStepItCannotPay(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for _, tc := range []struct {
			name     string
			quantity int64 // steps of 10 TIK each, of a balance of 100
			next     string
			stop     bool
		}{
			{"balance left", 9, "step", false},
			{"zero with a step to come", 10, "step", true},
			{"zero with nothing to come", 10, "", false},
			{"below zero", 11, "", true},
		} {
			if short := 100*api.MicroPerTIK - f.balance(); short > 0 {
				_, err := f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: short})
				f.must(err)
			}
			id := f.accept(f.newKey(policy.Limits{}))
			if stops := f.feed(f.started(id, "step")); len(stops) != 0 {
				t.Errorf("%s: stopped at the start: %+v", tc.name, stops)
			}
			charge := f.used(id, "step", tc.quantity, tc.next)
			stops := f.feed(charge)
			if (len(stops) == 1) != tc.stop || tc.stop && stops[0] != (contract.Stop{JobID: id, Code: api.FailureTIKExhausted}) {
				t.Errorf("%s: stops %+v, want %v", tc.name, stops, tc.stop)
			}
			// A verdict that was lost is given again.
			f.seq--
			if again := f.feed(charge); len(again) != len(stops) {
				t.Errorf("%s: stops %+v the second time", tc.name, again)
			}
			if want := (100 - 10*tc.quantity) * api.MicroPerTIK; f.balance() != api.TIK(want) {
				t.Errorf("%s: balance %s", tc.name, f.balance())
			}
			if stops := f.feed(f.ended(id, api.JobFailed)); len(stops) != 0 {
				t.Errorf("%s: an ended job is stopped: %+v", tc.name, stops)
			}
		}
	})
}

func TestJobIsAcceptedWithoutBalanceAndStoppedAtItsFirstStep(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		spender := f.accept(key)
		f.feed(f.started(spender, "step"), f.used(spender, "step", 10, ""), f.ended(spender, api.JobCompleted))
		id := f.accept(key)
		if stops := f.feed(f.started(id, "step")); len(stops) != 1 || stops[0].Code != api.FailureTIKExhausted {
			t.Errorf("stops %+v", stops)
		}
		// The reader lost the verdict and asks again with nothing to report.
		v, err := f.ledger.ApplyFeed(t.Context(), f.batch())
		f.must(err)
		if len(v.Stop) != 1 || v.Cursor != f.seq {
			t.Errorf("verdict %+v", v)
		}
		_, err = f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: api.MicroPerTIK})
		f.must(err)
		if v, err = f.ledger.ApplyFeed(t.Context(), f.batch()); err != nil || len(v.Stop) != 0 {
			t.Errorf("after a top-up: %+v, %v", v, err)
		}
	})
}

func TestCancelledJobKeepsItsCountAndPaysWhatItUsed(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		id := f.accept(key)
		f.feed(f.started(id, "step"), f.ended(id, api.JobCancelled), f.used(id, "step", 1, ""), f.ended(id, api.JobCompleted))
		job := f.job(id)
		if job.Status != api.JobCancelled || job.TIKSpent != 10*api.MicroPerTIK {
			t.Errorf("job %+v", job)
		}
		f.wantUsage(key, 1, 1, 0)
		if got := f.usage(key).TIKThisMonth; got != 10*api.MicroPerTIK {
			t.Errorf("TIK this month %s", got)
		}
	})
}

func TestTIKIsCountedInTheMonthOfTheCharge(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.clock.Set(time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC))
		key := f.newKey(policy.Limits{TIKPerMonth: new(api.TIK(10 * api.MicroPerTIK))})
		id := f.accept(key)
		f.feed(f.started(id, "step"))
		f.clock.Add(2 * time.Minute)
		f.feed(f.used(id, "step", 1, ""))
		if u := f.usage(key); u.JobsThisMonth != 0 || u.TIKThisMonth != 10*api.MicroPerTIK {
			t.Errorf("usage %+v", u)
		}
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitTIKPerMonth)
	})
}

func TestEachFeedHasItsOwnCursor(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		f.feed(f.started(id, ""), f.progress(id))
		cursor, err := f.ledger.FeedCursor(t.Context(), f.project, "recreated")
		if err != nil || cursor != 0 {
			t.Errorf("cursor of a new feed %d, %v", cursor, err)
		}
	})
}

func TestSumOfEntriesIsTheBalance(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		for i := range int64(6) {
			id := f.accept(key)
			f.feed(f.started(id, "step"), f.used(id, "step", i, "step"), f.used(id, "free", 3, ""), f.ended(id, api.JobCompleted))
			_, err := f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: 7 * api.MicroPerTIK})
			f.must(err)
		}
		var sum, jobs, spent api.TIK
		f.must(f.store.View(t.Context(), func(r *store.Reader) error {
			return errors.Join(
				r.Row("SELECT sum(delta) FROM tik_entries WHERE user_id = 'alice'").Scan(&sum),
				r.Row("SELECT sum(tik_spent) FROM jobs").Scan(&jobs),
				r.Row("SELECT sum(tik) FROM usage").Scan(&spent))
		}))
		if sum != f.balance() || jobs != spent || spent != 150*api.MicroPerTIK {
			t.Errorf("entries %s, balance %s; jobs %s, usage %s", sum, f.balance(), jobs, spent)
		}
	})
}

func TestProjectIsDeletedWithItsJobsOnceTheyEnded(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := f.reservation(f.newKey(policy.Limits{}))
		r.IdempotencyKey, r.Fingerprint = "once", "print"
		_, err := f.ledger.Reserve(t.Context(), r)
		f.must(err)
		if err := f.catalog.DeleteProject(t.Context(), f.project); !errors.Is(err, sidecar.ErrProjectBusy) {
			t.Errorf("got %v, want ErrProjectBusy", err)
		}
		f.feed(f.used(r.JobID, "step", 1, ""), f.ended(r.JobID, api.JobCompleted))
		f.must(f.catalog.DeleteProject(t.Context(), f.project))
		if _, err := f.ledger.Job(t.Context(), r.JobID); !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("the job: %v", err)
		}
		if err := f.catalog.DeleteProject(t.Context(), f.project); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("got %v, want ErrUnknownProject", err)
		}
		if got := f.balance(); got != 90*api.MicroPerTIK {
			t.Errorf("balance %s: what was charged stays charged", got)
		}
	})
}

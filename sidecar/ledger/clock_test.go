package ledger_test

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

// TestAClockThatWasWrongLocksNoLimit has a key counted a year ahead, by a
// submission and by a charge. Once the clock is put right the key has what is
// left of its day, no more and no less, and the next day comes in time.
func TestAClockThatWasWrongLocksNoLimit(t *testing.T) {
	for name, count := range map[string]func(f *fixture, key, running string){
		"a submission": func(f *fixture, key, _ string) { f.accept(key) },
		"a charge":     func(f *fixture, _, running string) { f.feed(f.used(running, "step", 1, "")) },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fixture) {
				key := f.newKey(policy.Limits{JobsPerDay: new(int64(2)), TIKPerMonth: new(api.TIK(10 * api.MicroPerTIK))})
				running := f.accept(key)
				right := f.clock.Now()
				f.clock.Set(right.AddDate(1, 0, 0))
				count(f, key, running)
				f.clock.Set(right)
				f.wantUsage(key, 1, 1, f.usage(key).RunningJobs)
				f.accept(key)
				_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
				if wait := wantLimit(t, err, api.LimitJobsPerDay).RetryAfter; wait != 12*time.Hour {
					t.Errorf("the day's limit resets in %s, want 12h", wait)
				}
				f.clock.Add(12 * time.Hour)
				f.accept(key)
				// What is spent now is of this month.
				f.feed(f.used(running, "step", 1, ""))
				_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
				wantLimit(t, err, api.LimitTIKPerMonth)
			})
		})
	}
}

func TestJumpsOfTheClockGrantNoDayTwice(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		noon := f.clock.Now()
		key := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
		f.accept(key)
		for _, jump := range []time.Duration{11 * time.Hour, -11 * time.Hour, 0, 59 * time.Minute, -59 * time.Minute} {
			f.clock.Set(noon.Add(jump))
			_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
			wantLimit(t, err, api.LimitJobsPerDay)
		}
		f.clock.Set(noon.Add(24 * time.Hour)) // a day ahead, whose limit is used up there
		f.accept(key)
		f.clock.Set(noon)
		_, err := f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
		f.clock.Set(noon.Add(24 * time.Hour)) // now it is that day
		_, err = f.ledger.Reserve(t.Context(), f.reservation(key))
		wantLimit(t, err, api.LimitJobsPerDay)
	})
}

func TestReservationOfAWrongClockBecomesOverdue(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		right := f.clock.Now()
		f.clock.Set(right.AddDate(1, 0, 0))
		id := f.reserve(f.newKey(policy.Limits{}))
		for _, tc := range []struct {
			at   time.Time
			want bool
		}{
			{f.clock.Now(), false}, {f.clock.Now().Add(ledger.DefaultDeadline + time.Second), true}, {right, true},
		} {
			f.clock.Set(tc.at)
			open, err := f.ledger.OpenJobs(t.Context(), f.project)
			f.must(err)
			if len(open) != 1 || open[0].JobID != id || open[0].Overdue != tc.want {
				t.Errorf("at %s: %+v, want overdue %v", tc.at, open, tc.want)
			}
		}
	})
}

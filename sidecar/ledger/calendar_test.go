package ledger_test

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestDayAndMonthLimitsResetAtEveryTurnOfTheCalendar(t *testing.T) {
	for name, turn := range map[string]time.Time{
		"an ordinary night":           time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		"a short month":               time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
		"the night before a leap day": time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC),
		"the night after a leap day":  time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC),
		"a month of thirty days":      time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		"a year's end":                time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		"a century without leap day":  time.Date(2100, 3, 1, 0, 0, 0, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, storetest.Databases[0]) // the calendar is not the store's
			month := turn.Day() == 1
			f.clock.Set(turn.Add(-time.Second))
			daily := f.newKey(policy.Limits{JobsPerDay: new(int64(1))})
			monthly := f.newKey(policy.Limits{JobsPerMonth: new(int64(1))})
			f.accept(daily)
			f.accept(monthly)
			_, err := f.ledger.Reserve(t.Context(), f.reservation(daily))
			if wait := wantLimit(t, err, api.LimitJobsPerDay).RetryAfter; wait != time.Second {
				t.Errorf("the day's limit resets in %s, want 1s", wait)
			}
			_, err = f.ledger.Reserve(t.Context(), f.reservation(monthly))
			if wait := wantLimit(t, err, api.LimitJobsPerMonth).RetryAfter; month && wait != time.Second {
				t.Errorf("the month's limit resets in %s, want 1s", wait)
			}
			f.clock.Set(turn)
			f.accept(daily)
			if month {
				f.accept(monthly)
			} else {
				_, err = f.ledger.Reserve(t.Context(), f.reservation(monthly))
				wantLimit(t, err, api.LimitJobsPerMonth)
			}
		})
	}
}

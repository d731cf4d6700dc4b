package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// setRateLimit sets RateLimit-Policy and RateLimit on the answer to an
// admitted submission: an item for each limit that the key has, with what is
// left of it (r) and when it resets (t, in seconds). The names are those of the
// 429. Form: draft-ietf-httpapi-ratelimit-headers.
func setRateLimit(h http.Header, limits policy.Limits, used policy.Usage, now time.Time) {
	var policies, states []string
	item := func(name string, quota, left int64, unit string, resets time.Time) {
		p := fmt.Sprintf("%q;q=%d", name, quota)
		if unit != "" {
			p += fmt.Sprintf(";qu=%q", unit)
		}
		s := fmt.Sprintf("%q;r=%d", name, max(left, 0))
		if !resets.IsZero() {
			s += fmt.Sprintf(";t=%d", int64(resets.Sub(now)/time.Second))
		}
		policies, states = append(policies, p), append(states, s)
	}
	if l := limits.JobsPerDay; l != nil {
		item(api.LimitJobsPerDay, *l, *l-used.JobsToday, "", api.DayEnd(now))
	}
	if l := limits.JobsPerMonth; l != nil {
		item(api.LimitJobsPerMonth, *l, *l-used.JobsThisMonth, "", api.MonthEnd(now))
	}
	if l := limits.MaxConcurrentJobs; l != nil {
		item(api.LimitMaxConcurrentJobs, *l, *l-used.RunningJobs, "concurrent-requests", time.Time{})
	}
	if l := limits.TIKPerMonth; l != nil {
		// Whole TIK, rounded down: a structured field's integer has no places.
		item(api.LimitTIKPerMonth, int64(*l/api.MicroPerTIK), int64((*l-used.TIKThisMonth)/api.MicroPerTIK), "tik", api.MonthEnd(now))
	}
	if len(policies) == 0 {
		return
	}
	h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	h.Set("RateLimit", strings.Join(states, ", "))
}

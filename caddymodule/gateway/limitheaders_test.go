package gateway

import (
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

func TestRateLimitNamesWhatIsLeftOfEachLimit(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	five, fifty, two, tik := int64(5), int64(50), int64(2), api.TIK(10*api.MicroPerTIK)
	h := http.Header{}
	setRateLimit(h, policy.Limits{JobsPerDay: &five, JobsPerMonth: &fifty, MaxConcurrentJobs: &two, TIKPerMonth: &tik},
		policy.Usage{JobsToday: 2, JobsThisMonth: 50, RunningJobs: 1, TIKThisMonth: 2_500_000}, now)
	const wantPolicy = `"jobsPerDay";q=5, "jobsPerMonth";q=50, "maxConcurrentJobs";q=2;qu="concurrent-requests", "tikPerMonth";q=10;qu="tik"`
	const want = `"jobsPerDay";r=3;t=60, "jobsPerMonth";r=0;t=60, "maxConcurrentJobs";r=1, "tikPerMonth";r=7;t=60`
	if got := h.Get("RateLimit-Policy"); got != wantPolicy {
		t.Errorf("RateLimit-Policy is %s", got)
	}
	if got := h.Get("RateLimit"); got != want {
		t.Errorf("RateLimit is %s", got)
	}
	none := http.Header{}
	setRateLimit(none, policy.Limits{}, policy.Usage{}, now)
	if len(none) != 0 {
		t.Errorf("a key without limits gets %v", none)
	}
}

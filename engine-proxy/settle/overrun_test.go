package settle

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

func TestOverrunCountsOnlyTimeInWhichTheEngineCouldHaveEndedAJob(t *testing.T) {
	t.Parallel()
	job := func(id string) contract.OpenJob { return contract.OpenJob{JobID: id} }
	reserved := contract.OpenJob{JobID: "r", Reserved: true}
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var o Overrun
	for i, c := range []struct {
		after time.Duration
		ready bool
		jobs  []contract.OpenJob
		want  time.Duration
	}{
		{0, true, []contract.OpenJob{job("a")}, 0},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 5 * time.Second},
		{time.Hour, true, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second}, // nobody looked
		{5 * time.Second, false, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 15 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("a"), job("b")}, 20 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{job("b")}, 0}, // one has ended
		{5 * time.Second, true, []contract.OpenJob{job("b"), reserved}, 5 * time.Second},
		{5 * time.Second, true, []contract.OpenJob{reserved}, 0},
		{5 * time.Second, true, []contract.OpenJob{job("c")}, 0},
	} {
		begin = begin.Add(c.after)
		if got := o.Look(begin, c.ready, c.jobs, 10*time.Second); got != c.want {
			t.Errorf("look %d: %s, want %s", i, got, c.want)
		}
	}
}

func TestRunningJobIsTheOneThatIsHeld(t *testing.T) {
	t.Parallel()
	with := func(id string, s api.JobStatus, reserved bool) contract.OpenJob {
		return contract.OpenJob{JobID: id, Reserved: reserved, Record: contract.JobRecord{Status: s}}
	}
	for name, c := range map[string]struct {
		jobs []contract.OpenJob
		want string
	}{
		"nothing":             {nil, ""},
		"a reservation":       {[]contract.OpenJob{with("a", api.JobQueued, true)}, ""},
		"the oldest":          {[]contract.OpenJob{with("b", api.JobQueued, false), with("a", api.JobQueued, false)}, "a"},
		"one that is running": {[]contract.OpenJob{with("a", api.JobQueued, false), with("b", api.JobRunning, false)}, "b"},
	} {
		got := ""
		if j := Working(c.jobs); j != nil {
			got = j.JobID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

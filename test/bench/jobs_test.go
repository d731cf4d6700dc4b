package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// coldStarts measures how long the first submission of a project takes: its engine
// is started, becomes ready and accepts. The engines before it have done their
// work, which would take the machine's cores, or are busy with it.
func (r *report) coldStarts() {
	t := r.t
	g := rig.Launch(t, rig.Options{})
	measure := func(name string, idle bool) []time.Duration {
		var took []time.Duration
		for i := range r.n(20) {
			user := fmt.Sprintf("%s%d", name, i) // nobody's cap of engines is met
			g.NewUser(user, "1000")
			key := g.NewKey(user)
			project := g.NewProject(key)
			begin := time.Now()
			submit(t, g, key, project)
			took = append(took, time.Since(begin))
			if idle {
				wait.Until(t, "the job has ended", func() bool { return g.Usage(key).RunningJobs == 0 })
			}
		}
		return took
	}
	idle, busy := measure("idle", true), measure("busy", false)
	s := r.section("Cold start", fmt.Sprintf("The first submission to %d new projects, one after the other: the shipped configuration, the driver process, "+
		"svc-engine ready, the job accepted and on disk. The client waits, it is not sent away.", len(idle)), "", "p50", "longest", "budget of p50", "")
	p50 := quantile(idle, 0.5)
	s.row("submission to a cold project", millis(p50), millis(quantile(idle, 1)), "150 ms", verdict(s.kept("p50", share(p50, 150*time.Millisecond))))
	s.row("the same while the engines before it make games on the same cores", millis(quantile(busy, 0.5)), millis(quantile(busy, 1)), "", "")
}

// submit submits a job until it is accepted: on a busy machine an engine may take
// longer to start than a submission waits. The figures then say so.
func submit(t *testing.T, g *rig.Gateway, key rig.Key, project string) {
	t.Helper()
	wait.Until(t, "the submission is accepted", func() bool {
		a, err := g.Submit(t.Context(), key, project)
		if err != nil || a.Status != http.StatusOK && a.Status != http.StatusServiceUnavailable {
			t.Fatalf("submitting: %d %s, %v", a.Status, a.Body, err)
		}
		return a.Status == http.StatusOK
	})
}

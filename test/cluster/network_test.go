package cluster

import (
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// TestANetworkThatTakesPacketsAndAnswersNoneIsAsThePageOfFailuresSays: nobody is told that
// the other end is away, so that all goes by time. Each answer comes while a client waits.
func TestANetworkThatTakesPacketsAndAnswersNoneIsAsThePageOfFailuresSays(t *testing.T) {
	t.Parallel()
	c := rig.LaunchApart(t, script.Engine{})
	g := c.Gateways[0]
	g.NewUser("alice", "100")
	key := g.NewKey("alice")
	old := g.Generate(key, g.NewProject(key))
	g.Finish(key, old)
	for _, host := range []struct {
		name    string
		failure failure
	}{
		{rig.HostEngines, failure{"no packet comes back from the engine proxy's host", "status is degraded: the engine proxy does not answer",
			`svc_requests_total{action="generate",class="5xx",reason="unavailable"} > 0`, "SvcRequestsUnavailable"}},
		{rig.HostSidecar, failure{"no packet comes back from the sidecar's host", "status is degraded: the sidecar does not answer",
			`svc_decision_failures_total{reason="unreachable"} > 0`, "SvcDecisionsFail"}},
	} {
		c.Silence(host.name)
		wait.Until(t, "the gateway notices", func() bool {
			code, err := g.Status(new(status))
			a := g.Call(key, http.MethodGet, rig.StatusPath(old), nil)
			return err == nil && code == http.StatusServiceUnavailable && (host.name == rig.HostEngines || a.Status == http.StatusServiceUnavailable)
		})
		host.failure.wantAsOnThePage(t, g, key, old)
		c.Restore(host.name)
		g.Finish(key, g.Generate(key, old.ProjectID))
	}
	wait.Until(t, "every slot is free", func() bool { return g.Usage(key).RunningJobs == 0 })
	if u := g.Usage(key); u.JobsThisMonth != 3 || u.TIKSpent != 3*api.MicroPerTIK {
		t.Errorf("after three jobs the usage is %+v", u)
	}
}

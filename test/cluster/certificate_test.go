package cluster

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// TestACertificateThatEndedIsAsThePageOfFailuresSays: connections that are open go on, so
// that the metric says it first, and clients notice once the gateway is started anew. A
// renewed one is used without another start.
func TestACertificateThatEndedIsAsThePageOfFailuresSays(t *testing.T) {
	t.Parallel()
	c := rig.LaunchApart(t, script.Engine{})
	g := c.Gateways[0]
	g.NewUser("alice", "100")
	key := g.NewKey("alice")
	old := g.Generate(key, g.NewProject(key))
	g.Finish(key, old)

	c.Expire(rig.HostGateway)
	over := failure{"a gateway's certificate that has ended, once the gateway is started anew", "status is degraded: expired certificate",
		"svc_certificate_expires_timestamp_seconds < time()", "SvcCertificateEnded"}
	wait.Until(t, "the metrics say so", func() bool { return over.measured(g) })
	if a := g.Call(key, http.MethodGet, rig.StatusPath(old), nil); a.Status != http.StatusOK {
		t.Errorf("on connections that are open the answer is %d %s", a.Status, a.Body)
	}
	if err := errors.Join(g.Stop(), g.Start()); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the gateway says that it is refused", func() bool {
		var s status
		code, err := g.Status(&s)
		return err == nil && code == http.StatusServiceUnavailable && strings.Contains(strings.Join(s.Problems, ", "), "a certificate is refused")
	})
	pid := g.PID()
	over.wantAsOnThePage(t, g, key, old)

	c.Renew(rig.HostGateway)
	wait.Until(t, "the renewed certificate is used", func() bool {
		return g.Call(key, http.MethodGet, rig.StatusPath(old), nil).Status == http.StatusOK
	})
	g.Finish(key, g.Generate(key, old.ProjectID))
	if g.PID() != pid {
		t.Error("the gateway was started anew")
	}
	wait.Until(t, "every slot is free", func() bool { return g.Usage(key).RunningJobs == 0 })
	if u := g.Usage(key); u.JobsThisMonth != 2 || u.TIKSpent != 2*api.MicroPerTIK {
		t.Errorf("after two jobs the usage is %+v", u)
	}
}

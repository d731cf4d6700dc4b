package chaos

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
)

// besiegeCluster starts three gateways with their sidecars, an engine proxy with
// its own, and PostgreSQL, and lays siege to them. The engine proxy has the
// shipped one's patience.
func besiegeCluster(t *testing.T, s script.Engine) *siege {
	url := postgrestest.URL(t)
	c := rig.LaunchCluster(t, 3, url, s)
	g := &siege{
		t: t, gateways: c.Gateways, dir: c.Dir, volume: c.Volume, script: c.Script,
		killables: []*killable{
			{Process: c.Sidecar, ready: c.SidecarReady, weight: 1},
			{Process: c.Proxy, ready: c.ProxyReady, points: reaperPoints, weight: 1},
		},
		open: func() (*store.Store, error) { return store.OpenPostgres(t.Context(), url) },
	}
	for _, gateway := range c.Gateways {
		g.killables = append(g.killables, &killable{Process: &gateway.Process, ready: gateway.Ready, points: submissionPoints, weight: 1})
	}
	return lay(g)
}

func TestThreeGatewaysAgreeWithTheirEnginesWhoeverIsKilled(t *testing.T) {
	together(t)
	began, kills := time.Now(), killsOr(15)
	engines := script.Engine{Work: 20 * time.Millisecond, Refuse: 0.25, Lose: 0.03, Die: 0.01}
	g := besiegeCluster(t, engines)
	g.intrude(engines)
	long := os.Getenv(killsEnv) != ""
	g.rage(kills, func() bool { return !long || len(g.unreached()) == 0 }, 5*time.Minute+time.Duration(kills)*3*time.Second)
	g.settle()
	for _, wrong := range g.judge("three gateways, PostgreSQL", false, began) {
		t.Error(wrong)
	}
}

func TestThreeGatewaysWithAReaperThatReleasesByTimeAloneAreFoundOut(t *testing.T) {
	together(t)
	began := time.Now()
	g := besiegeCluster(t, script.Engine{Work: 20 * time.Millisecond, Slow: 100 * time.Millisecond, Refuse: 0.25})
	stop := g.releaseBlindly(50 * time.Millisecond)
	lost := fmt.Sprint(http.StatusGatewayTimeout)
	g.rage(4, func() bool { return g.answers()[lost] >= 5 }, 5*time.Minute)
	stop()
	g.settle()
	wrong := g.judge("blind reaper, three gateways, PostgreSQL", true, began)
	if len(wrong) == 0 {
		t.Error("the books of a blind reaper were found to be right")
	}
	t.Logf("found:\n%s", strings.Join(wrong, "\n"))
}

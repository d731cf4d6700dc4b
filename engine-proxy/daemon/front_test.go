package daemon

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
)

// healthy are engines of which nothing but the probe is asked: all else panics.
type healthy struct{ engineproxy.Engines }

func (healthy) Problems(context.Context) ([]string, error) { return nil, nil }

// TestMonitorsReachTheMetricsAndTheProbeAlone: their certificate starts no engine and reads
// no file.
func TestMonitorsReachTheMetricsAndTheProbeAlone(t *testing.T) {
	ca := peertest.NewAuthority(t)
	f := &front{
		options: Options{
			Listen: &peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: ca.Issue("engines"),
			Names: []string{"gateway"}, MonitorNames: []string{"monitor"},
		},
		metrics: serveMetrics(host.NewMetrics(), peer.TLS{}), logger: zap.NewNop(),
	}
	if err := f.listen(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}()
	f.open(healthy{})
	for _, name := range []string{"gateway", "monitor"} {
		c, err := peer.NewClient(peer.ClientOptions{Address: f.server.Addr(), TLS: ca.Issue(name), ServerName: "engines"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdle()
		for _, ask := range []string{
			"GET /metrics", "GET " + peer.HealthPath, "POST " + remote.Path + "/submit", "POST /engines/p/v1/jobs", "GET " + remote.Path + "/files/j",
		} {
			method, path, _ := strings.Cut(ask, " ")
			probes := path == "/metrics" || path == peer.HealthPath
			if name == "gateway" && !probes {
				path = remote.Path + "/unknown" // let in, and of no meaning
			}
			r, err := http.NewRequestWithContext(t.Context(), method, "http://part"+path, strings.NewReader("{"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := c.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := res.Body.Close(); err != nil {
				t.Error(err)
			}
			switch refused := res.StatusCode == http.StatusForbidden; {
			case probes && res.StatusCode != http.StatusOK, !probes && refused != (name == "monitor"):
				t.Errorf("%s of a %s: status %d", ask, name, res.StatusCode)
			}
		}
	}
}

package peer_test

import (
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
)

// TestEndOfTheFirstCertificateIsMeasured: of all that a process shows, as their files are
// now, so that a renewed one is seen without a restart.
func TestEndOfTheFirstCertificateIsMeasured(t *testing.T) {
	ca := peertest.NewAuthority(t)
	certificates, registry := new(peer.Certificates), prometheus.NewRegistry()
	registry.MustRegister(certificates)
	ends := func() (at time.Time, is bool) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			return time.Unix(int64(f.GetMetric()[0].GetGauge().GetValue()), 0), true
		}
		return at, false
	}
	want := func(what string, good bool) {
		t.Helper()
		if at, is := ends(); !is || time.Until(at) > time.Minute != good {
			t.Errorf("%s: the first one ends at %s, %t", what, at, is)
		}
	}
	if at, is := ends(); is {
		t.Errorf("without certificates one ends at %s", at)
	}
	certificates.Use("sidecar", ca.Issue("gateway"))
	want("a good one", true)
	files := ca.IssueExpired("another")
	certificates.Use("engines", files)
	want("one that has ended", false)
	ca.Issue("another")
	want("a renewed one", true)
	if err := os.WriteFile(files.Cert, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if at, is := ends(); !is || at.Unix() != 0 {
		t.Errorf("of one that can't be read the end is %s, %t", at, is)
	}
	certificates.Use("engines", peer.TLS{})
	want("without the other one", true)
}

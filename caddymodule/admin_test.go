package caddymodule_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/wait"
)

func TestStatusOfAWorkingGateway(t *testing.T) {
	g := newFakeBackend(t).gateway(t, wholeAPI)
	a := g.ask("GET", "/svc/status")
	var s caddymodule.Status
	if err := json.Unmarshal([]byte(a.body), &s); err != nil || a.StatusCode != 200 {
		t.Fatalf("%d %s: %v", a.StatusCode, a.body, err)
	}
	if s.State != "ok" || !s.Store.OK || s.PolicyRevision != "rev-7" || s.DataDir != g.dir || s.Rates != "local" || s.UptimeSeconds < 0 {
		t.Errorf("the status is %s", a.body)
	}
	if s.Engines["ready"] != 2 || s.Engines["starting"] != 1 || len(s.Engines) != 2 {
		t.Errorf("the engines are %v", s.Engines)
	}
}

func TestStatusWhenTheStoreIsDownIs503AndLeavesTheErrorToTheLog(t *testing.T) {
	d := newFakeBackend(t)
	g := d.gateway(t, wholeAPI)
	d.breakStore(errors.New("disk 7 is full"))
	a := g.ask("GET", "/svc/status")
	if a.StatusCode != 503 || !strings.Contains(a.body, `"state":"degraded"`) || !strings.Contains(a.body, "the store does not answer") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if strings.Contains(a.body, "disk 7") || !strings.Contains(g.logged(), "disk 7 is full") {
		t.Error("the error belongs in the log, not in the answer")
	}
}

// TestStatusOfAStoreThatCanOnlyBeReadIs503: no submission is admitted there. The
// sidecar is asked for it wherever it is.
func TestStatusOfAStoreThatCanOnlyBeReadIs503(t *testing.T) {
	d := newFakeBackend(t)
	d.unwritable = errors.New("disk 7 is full")
	sidecars := map[string]sidecar.Service{"in this process": d, "in another": newRemote(t, d)}
	for name, service := range sidecars {
		t.Run(name, func(t *testing.T) {
			d.asked = service
			g := d.gateway(t, wholeAPI)
			a := g.ask("GET", "/svc/status")
			if a.StatusCode != 503 || !strings.Contains(a.body, `"the store can't be written to"`) || !strings.Contains(a.body, `"rev-7"`) {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
			if strings.Contains(a.body, "disk 7") || !strings.Contains(g.logged(), "disk 7 is full") {
				t.Error("the error belongs in the log, not in the answer")
			}
		})
	}
}

// TestStatusIs503WheneverNoSubmissionIsAdmitted: an engine proxy that answers may still
// be unable to start an engine.
func TestStatusIs503WheneverNoSubmissionIsAdmitted(t *testing.T) {
	for name, tc := range map[string]struct {
		problems []string
		err      error
		status   int
		want     string
	}{
		"the driver is down":     {problems: []string{"the engines' driver is not available"}, status: 503, want: "the engines' driver is not available"},
		"nobody can say":         {err: errors.New("an old one"), status: 200, want: "the engine proxy's health is unknown"},
		"several things at once": {problems: []string{"one", "two"}, status: 503, want: `"one","two"`},
		"nothing is in the way":  {status: 200, want: `"state":"ok"`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeBackend(t)
			d.enginesProblems, d.enginesErr = tc.problems, tc.err
			a := d.gateway(t, wholeAPI).ask("GET", "/svc/status")
			if a.StatusCode != tc.status || !strings.Contains(a.body, tc.want) {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	}
}

// newRemote returns the client of a sidecar that serves a fake backend.
func newRemote(t *testing.T, d *fakeBackend) sidecar.Service {
	t.Helper()
	server := httptest.NewServer(wire.Handler(served{d}, zap.NewNop()))
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := wire.New(towards{to.Host}, wire.Options{DecisionTimeout: wait.Patience})
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// served is a fake backend behind a way from another process.
type served struct{ *fakeBackend }

func (served) Withdraw(context.Context, sidecar.Reservation) error { return nil }

// towards sends every request to one address.
type towards struct{ host string }

func (to towards) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", to.host
	return http.DefaultTransport.RoundTrip(r)
}

// TestStatusSaysThatACertificateIsRefused: that is mended elsewhere than a part that is down.
func TestStatusSaysThatACertificateIsRefused(t *testing.T) {
	ours, theirs := peertest.NewAuthority(t), peertest.NewAuthority(t)
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: theirs.Issue("sidecar"), Names: []string{"gateway"}, Handler: http.NotFoundHandler(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	conn, err := peer.NewClient(peer.ClientOptions{Address: server.Addr(), TLS: ours.Issue("gateway"), ServerName: "sidecar"})
	if err != nil {
		t.Fatal(err)
	}
	client := wire.New(conn, wire.Options{DecisionTimeout: wait.Patience})
	defer client.Close()
	d := newFakeBackend(t)
	d.asked = client
	g := d.gateway(t, wholeAPI)
	if a := g.ask("GET", "/svc/status"); a.StatusCode != 503 || !strings.Contains(a.body, `"the sidecar is not reached: a certificate is refused"`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if !strings.Contains(g.logged(), "unknown authority") {
		t.Error("the log does not say why")
	}
}

func TestStatusAnswersOnlyReads(t *testing.T) {
	g := newFakeBackend(t).gateway(t, wholeAPI)
	if a := g.ask("POST", "/svc/status"); a.StatusCode != 405 {
		t.Errorf("POST answers %d", a.StatusCode)
	}
	if a := g.ask("HEAD", "/svc/status"); a.StatusCode != 200 || a.body != "" {
		t.Errorf("HEAD answers %d %q", a.StatusCode, a.body)
	}
}

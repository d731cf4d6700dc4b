package caddymodule_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/svc-games/svc/caddymodule"
)

func TestStatusOfAWorkingGateway(t *testing.T) {
	g := newDesk(t).gateway(t, wholeAPI)
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
	d := newDesk(t)
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

func TestStatusAnswersOnlyReads(t *testing.T) {
	g := newDesk(t).gateway(t, wholeAPI)
	if a := g.ask("POST", "/svc/status"); a.StatusCode != 405 {
		t.Errorf("POST answers %d", a.StatusCode)
	}
	if a := g.ask("HEAD", "/svc/status"); a.StatusCode != 200 || a.body != "" {
		t.Errorf("HEAD answers %d %q", a.StatusCode, a.body)
	}
}

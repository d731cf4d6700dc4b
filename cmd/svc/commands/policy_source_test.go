package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/test/keep"
)

// TestWhatASourceBringsWhileTheServiceIsDownIsInTheAuditLog: nobody was there who did it.
func TestWhatASourceBringsWhileTheServiceIsDownIsInTheAuditLog(t *testing.T) {
	dir, source := keep.Dir(t), t.TempDir()
	if err := os.CopyFS(source, policy.Embedded()); err != nil {
		t.Fatal(err)
	}
	open := func() (*host.Host, []string) {
		t.Helper()
		h, err := host.Open(t.Context(), host.Options{DataDir: dir, Admin: host.Standard(), Policy: activation.Options{Source: source}})
		if err != nil {
			t.Fatal(err)
		}
		log, err := admin.NewClient(filepath.Join(dir, admin.SocketFile)).Audit(t.Context(), "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, entry := range log.Entries {
			all = append(all, strings.Join([]string{entry.Actor, entry.Action, entry.Subject, string(entry.Detail)}, " "))
		}
		return h, all
	}
	h, log := open()
	first := h.Policy.Revision()
	if len(log) != 0 {
		t.Errorf("a first start: %q", log)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(source); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(source, os.DirFS(policytest.Example(t))); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"with another policy", "with the same"} {
		h, log = open()
		if len(log) != 1 || !strings.HasPrefix(log[0], "service policy.activate "+h.Policy.Revision()+" ") || h.Policy.Revision() == first ||
			!strings.Contains(log[0], `"from":"`+first+`"`) || !strings.Contains(log[0], "decisions of the table") {
			t.Errorf("a start %s: %q", when, log)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

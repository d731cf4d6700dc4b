package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// TestSidecarsOnOneDatabaseDecideByOnePolicy has three of them, the last of which is there
// only after the activation.
func TestSidecarsOnOneDatabaseDecideByOnePolicy(t *testing.T) {
	database := postgrestest.URL(t)
	open := func() (*host.Host, *admin.Client) {
		t.Helper()
		dir := t.TempDir()
		h, err := host.Open(t.Context(), host.Options{DataDir: dir, Store: database, Admin: host.Standard()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		})
		return h, admin.NewClient(filepath.Join(dir, admin.SocketFile))
	}
	one, ofOne := open()
	other, ofOther := open()
	files, err := bundle.ReadDir(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	first := one.Policy.Revision()
	next, err := ofOther.ActivatePolicy(t.Context(), files, "readers", first, false)
	if err != nil {
		t.Fatal(err)
	}
	follows(t, one, next.Revision)
	third, _ := open()
	follows(t, third, next.Revision)
	if _, err := ofOne.RollBackPolicy(t.Context(), "", next.Revision); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*host.Host{one, other, third} {
		follows(t, h, first)
	}
	wait.Until(t, "all three are listed, and none differs", func() bool {
		s, err := ofOther.PolicyStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Sidecars) == 3 && s.Sidecars[0].Revision == first && s.Sidecars[1].Revision == first && s.Sidecars[2].Revision == first
	})
}

// TestSidecarWaitsForADatabaseThatIsAwayAtItsStart: a machine starts its services in any
// order.
func TestSidecarWaitsForADatabaseThatIsAwayAtItsStart(t *testing.T) {
	database, dir := postgrestest.URL(t), keep.Dir(t)
	postgrestest.Stop(t)
	away := true
	defer func() {
		if away {
			postgrestest.Start(t)
		}
	}()
	stop, ended := run(t, "--data-dir", dir, "--store", database)
	wait.Until(t, "it tries to start", func() bool {
		_, err := os.Stat(filepath.Join(dir, decisionlog.FileName))
		return err == nil
	})
	postgrestest.Start(t)
	away = false
	answers(t, peer.UnixClient(filepath.Join(dir, host.Socket)))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSidecarThatWaitsForItsDatabaseCanBeStopped(t *testing.T) {
	dir := keep.Dir(t)
	stop, ended := run(t, "--data-dir", dir, "--store", "postgres://svc@"+freeport.Address(t)+"/svc")
	wait.Until(t, "it tries to start", func() bool {
		_, err := os.Stat(filepath.Join(dir, decisionlog.FileName))
		return err == nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// follows waits until a sidecar decides by a revision.
func follows(t *testing.T, h *host.Host, revision string) {
	t.Helper()
	wait.Until(t, "it decides by "+revision, func() bool { return h.Policy.Revision() == revision })
}

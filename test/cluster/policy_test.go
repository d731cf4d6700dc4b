package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// TestASidecarFollowsWithinASecond has two processes on one PostgreSQL. One activates a
// policy, the other rolls it back; each time the other one is waited for, by the clock.
func TestASidecarFollowsWithinASecond(t *testing.T) {
	const rounds = 5
	url := postgrestest.URL(t)
	var sidecars [2]*admin.Client
	for i := range sidecars {
		c := rig.NewCluster(t, url, script.Engine{})
		if err := errors.Join(c.Sidecar.Start(), c.SidecarReady(t.Context())); err != nil {
			t.Fatal(err)
		}
		sidecars[i] = admin.NewClient(filepath.Join(c.Dir, admin.SocketFile))
	}
	files, err := bundle.ReadDir(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	one, other := sidecars[0], sidecars[1]
	first := decidesBy(t, one).Revision
	var took []time.Duration
	for range rounds {
		next, err := one.ActivatePolicy(t.Context(), files, "readers", first, false)
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, followed(t, other, next.Revision))
		if _, err := other.RollBackPolicy(t.Context(), "", next.Revision); err != nil {
			t.Fatal(err)
		}
		took = append(took, followed(t, one, first))
	}
	slices.Sort(took)
	t.Logf("followed after %v", took)
	if median := took[len(took)/2]; median > time.Second {
		t.Errorf("half of the times a sidecar followed later than after %s", median)
	}
}

func decidesBy(t *testing.T, c *admin.Client) activation.Info {
	t.Helper()
	s, err := c.PolicyStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Active
}

// followed returns how long it takes a sidecar to decide by a revision.
func followed(t *testing.T, c *admin.Client, revision string) time.Duration {
	t.Helper()
	begin := time.Now()
	wait.Until(t, "it decides by "+revision, func() bool { return decidesBy(t, c).Revision == revision })
	return time.Since(begin)
}

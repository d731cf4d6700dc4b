package fleet

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
)

func TestWhatKeepsEnginesFromStartingIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	cluster := fakedriver.NewCluster(filepath.Join(t.TempDir(), "cluster"))
	r := newRigOn(t, cluster, nil)
	want := func(problems ...string) {
		t.Helper()
		got, err := r.Problems(t.Context())
		if err != nil || !slices.Equal(got, problems) {
			t.Errorf("the problems are %q, %v; want %q", got, err, problems)
		}
	}
	want()
	cluster.Set(func(now *fakedriver.Faults) { now.Unfit = driver.ErrFatalSpec })
	want(problemFatal) // its image was removed, or its policy
	cluster.Set(func(now *fakedriver.Faults) { now.Unfit = nil })
	cluster.SetDown(true)
	want(problemDriver)
	r.ledger.with(func() { r.ledger.down = true })
	want(problemDriver, problemLedger)
	cluster.SetDown(false)
	want(problemLedger)
	r.ledger.with(func() { r.ledger.down = false })
	want()
}

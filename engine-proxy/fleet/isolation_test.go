package fleet

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/state"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
)

// weak makes the rig's driver one of a machine that offers nothing.
func weak(t *testing.T) func(*Options) {
	return func(o *Options) {
		engine := programs.Build(t, fakeengine.Folder)
		d, err := process.New(process.Options{
			StateRoot: filepath.Join(o.DataDir, state.StatesDir), Command: []string{engine}, Shim: engine,
			Users: process.Users{Off: true}, Offers: &confine.Available{},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Driver = d
	}
}

func (r *rig) submitFor(owner, project string) error {
	lease, err := r.Submit(r.t.Context(), engineproxy.Project{ID: project, OwnerID: owner}, ample)
	if err == nil {
		lease.Release()
	}
	return err
}

func TestWithoutIsolationASecondOwnerIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, weak(t))
	first := mint.NewProjectID()
	for _, project := range []string{first, mint.NewProjectID()} {
		if err := r.submitFor("ann", project); err != nil {
			t.Fatalf("an engine of the first owner: %v", err)
		}
	}
	second := mint.NewProjectID()
	check := func() {
		t.Helper()
		var failed *engineproxy.FailedError
		err := r.submitFor("bob", second)
		if !errors.As(err, &failed) || failed.Reason != "This machine can't keep engines of different owners apart." {
			t.Fatalf("an engine of a second owner: %v", err)
		}
	}
	check()
	// The volumes stay when their engines are gone.
	r.close(StopAll)
	r.open()
	check()
	if err := r.submitFor("ann", first); err != nil {
		t.Errorf("the first owner afterwards: %v", err)
	}
}

func TestWithoutIsolationTwoOwnersAtOnceAreNotBothLetIn(t *testing.T) {
	t.Parallel()
	r := newRig(t, weak(t))
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, owner := range []string{"ann", "bob"} {
		wg.Go(func() { errs[i] = r.submitFor(owner, mint.NewProjectID()) })
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("two owners at once: %v and %v", errs[0], errs[1])
	}
}

func TestWeakIsolationIsAllowedOnRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { weak(t)(o); o.AllowWeakIsolation = true })
	for _, owner := range []string{"ann", "bob"} {
		if err := r.submitFor(owner, mint.NewProjectID()); err != nil {
			t.Errorf("%s: %v", owner, err)
		}
	}
}

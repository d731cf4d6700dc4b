package fleet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func TestSecondDataFolderOnOneStoreIsRefusedWithThePlaceOfTheEngines(t *testing.T) {
	t.Parallel()
	first := newRig(t, nil)
	opts := first.options
	opts.DataDir = t.TempDir()
	opts.Driver = newProcessDriver(t, opts.DataDir)
	second, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close(t.Context(), KeepEngines)
	err = second.Start(t.Context())
	if !errors.Is(err, ErrNotOurs) || !strings.Contains(err.Error(), ":"+first.options.DataDir) || !strings.Contains(err.Error(), "svc admin engines release") {
		t.Fatalf("got %v", err)
	}
	first.close(StopAll)
	first.open() // its own folder is known again
}

func TestNoEngineIsStartedBeforeTheLedgerSaysWhoseTheyAre(t *testing.T) {
	t.Parallel()
	other := contract.Installation{ID: "other", Place: "host:/srv/svc"}
	r := newRig(t, func(o *Options) { o.Ledger.(*fakeLedger).down = true })
	project := mint.NewProjectID()
	r.reserveJob(project)
	wantNone := func() {
		t.Helper()
		if _, err := r.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, time.Second); !errors.Is(err, engineproxy.ErrUnreachable) {
			t.Fatalf("a submission: %v", err)
		}
		if starts := fakeengine.Starts(r.volume(project)); starts != 0 {
			t.Fatalf("%d engines were started", starts)
		}
	}
	wantNone()
	r.ledger.with(func() { r.ledger.down, r.ledger.owner = false, other })
	wantNone()
	r.ledger.with(func() { r.ledger.owner = contract.Installation{} }) // it was released
	r.eventuallyState(project, engineproxy.StateReady)
}

package fleet

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// takeOver has another proxy take the place of the rig's, as a new process
// does.
func (r *rig) takeOver() {
	r.t.Helper()
	opts := r.options
	opts.TakeOver, opts.Driver = true, r.newDriver()
	next, err := New(opts)
	if err != nil {
		r.t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- next.Start(r.t.Context()) }()
	wait.For(r.t, "the proxy learns that its place was taken", r.TakenOver())
	r.close(KeepEngines)
	r.Proxy = next
	if err := <-started; err != nil {
		r.t.Fatal(err)
	}
}

func TestTakeOverLosesNoRequestAndAdoptsWhatRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	first := r.info(project).InstanceID

	operator := remote.NewOperator(r.options.DataDir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var answered atomic.Int64
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for ctx.Err() == nil {
			list, err := operator.List(t.Context())
			if err != nil || len(list) != 1 {
				t.Errorf("listed %+v, %v", list, err)
				return
			}
			answered.Add(1)
		}
	}()
	for range 3 {
		r.takeOver()
		before := answered.Load()
		wait.Until(t, "the next one answers", func() bool { return answered.Load() > before+2 })
	}
	cancel()
	<-asked
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if now := r.info(project).InstanceID; now != first {
		t.Errorf("the engine is %s, and was %s: not adopted", now, first)
	}
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "the job has ended once", func() bool { return r.ledger.count() == 3 })
}

func TestSecondProxyIsRefusedUnlessItTakesOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	opts := r.options
	opts.Driver = r.newDriver()
	second, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); !errors.Is(err, peer.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	if err := second.Close(t.Context(), KeepEngines); err != nil {
		t.Error(err)
	}
	if _, err := remote.NewOperator(r.options.DataDir).List(t.Context()); err != nil {
		t.Errorf("the first does not answer any more: %v", err)
	}
}

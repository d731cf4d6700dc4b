package fleet

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// newModels returns an egress over the rig's directory and ledger.
func (r *rig) newModels() *egress.Egress {
	r.t.Helper()
	if r.models == "" {
		r.models = freeport.Address(r.t) // the next egress listens there again
	}
	e, err := egress.New(egress.Options{
		Listen: r.models,
		Dir:    filepath.Join(r.options.DataDir, engineproxy.EgressDir), Ledger: r.ledger,
		Config: egress.Config{Endpoints: []egress.Endpoint{{URL: "https://models.invalid/v1", Chat: []string{"writer"}}}},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// models returns what a fake engine finds at its egress.
func models(at engineproxy.Endpoint) (names []string, err error) {
	var list struct{ Data []struct{ ID string } }
	err = send(at, "GET", "/test/models", nil, &list)
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, err
}

func TestEngineFindsModelsBeforeAndAfterItsAdoption(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.close(StopAll)
	r.options.Egress = r.newModels()
	r.open()
	project := mint.NewProjectID()
	at := r.submit(project)
	if names, err := models(at); err != nil || len(names) != 1 || names[0] != "writer" {
		t.Fatalf("found %v, %v", names, err)
	}
	if r.cluster != nil {
		r.models = strings.TrimPrefix(r.cluster.Spec(at.InstanceID).Remote.Egress, "https://")
	}
	r.close(KeepEngines)
	if _, err := models(at); err == nil {
		t.Error("models are found without an engine proxy")
	}
	r.options.Egress = r.newModels()
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if names, err := models(at); err != nil || len(names) != 1 {
		t.Errorf("after the adoption found %v, %v", names, err)
	}
	journal := filepath.Join(r.options.DataDir, engineproxy.EgressDir, project+".calls")
	if _, err := os.Stat(journal); err != nil {
		t.Errorf("no journal: %v", err)
	}
	if err := r.Forget(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(journal); !os.IsNotExist(err) {
		t.Errorf("the journal of the deleted project: %v", err)
	}
}

func TestEngineWithoutConfiguredModelsFindsNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if names, err := models(r.submit(mint.NewProjectID())); err == nil {
		t.Errorf("found %v", names)
	}
}

func TestUnpricedModelKeepsTheEngineProxyFromStarting(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.close(StopAll)
	r.ledger.unpriced = []string{"model.writer.input"}
	r.options.Egress = r.newModels()
	p, err := New(Options{DataDir: r.options.DataDir, Ledger: r.ledger, Egress: r.options.Egress, Driver: newProcessDriver(t, r.options.DataDir)})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context()); !errors.Is(err, egress.ErrUnpriced) {
		t.Errorf("got %v", err)
	}
	if err := p.Close(t.Context(), KeepEngines); err != nil {
		t.Error(err)
	}
	r.options.Egress = nil
}

// meanwhile is an egress whose jobs end as a test says.
type meanwhile struct {
	*egress.Egress
	endJob func(jobID string) error
}

func (m meanwhile) EndJob(_ context.Context, _, jobID string) error { return m.endJob(jobID) }

// Who hears that a job has ended may delete its project, and with it the job
// that is charged.
func TestLedgerGetsAnEndOnlyAfterTheJobsCallsAreCharged(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *rig, at engineproxy.Endpoint, project, job string){
		"ended by its engine": func(r *rig, at engineproxy.Endpoint, _, job string) {
			r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCancelled}, nil)
		},
		"ended without its engine": func(r *rig, _ engineproxy.Endpoint, project, _ string) {
			r.close(StopAll)
			if err := os.RemoveAll(r.volume(project)); err != nil { // the next engine does not know the job
				r.t.Fatal(err)
			}
			r.open()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.close(StopAll)
			isEnded := func(job string) (is bool) {
				r.ledger.with(func() { _, open := r.ledger.open[job]; is = !open })
				return is
			}
			var asked atomic.Int64
			r.options.Egress = meanwhile{r.newModels(), func(job string) error {
				if isEnded(job) {
					t.Errorf("the ledger heard of the end of %s before its calls were charged", job)
				}
				if asked.Add(1) == 1 {
					return errDown
				}
				return nil
			}}
			r.open()
			project := mint.NewProjectID()
			at := r.submit(project)
			job := r.accept(project, at)
			end(r, at, project, job)
			wait.Until(t, "the job has ended", func() bool { return isEnded(job) })
			if n := asked.Load(); n != 2 {
				t.Errorf("the egress was asked %d times, want once more after its error", n)
			}
		})
	}
}

var (
	_ engineproxy.Egress = (*egress.Egress)(nil)
	_ engineproxy.Egress = meanwhile{}
)

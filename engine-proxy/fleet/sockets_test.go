package fleet

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/state"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// here skips a test of sockets where engines have none.
func (r *rig) here() {
	r.t.Helper()
	if r.cluster != nil {
		r.t.Skip("engines of other machines have no socket")
	}
}

func TestNoRequestReachesTheEngineOfAnotherStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.here()
	project := mint.NewProjectID()
	at := r.submit(project)
	if !at.Proven {
		t.Fatalf("the engine at %s is not proven", at.Address)
	}
	next := driver.Incarnation{Generation: r.info(project).Generation + 1}.SocketName()
	if err := r.Stop(t.Context(), project, false); err != nil {
		t.Fatal(err)
	}
	// What the engine wrote leads from its socket to the next one's, and from there away.
	dir := r.runtime(project)
	if err := os.RemoveAll(at.Address); err != nil {
		t.Fatal(err)
	}
	for _, link := range []struct{ to, name string }{{next, at.Address}, {at.Address, filepath.Join(dir, next)}} {
		if err := os.Symlink(link.to, link.name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "e7.sock", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	second := r.submit(project)
	if !second.Proven || second.Address == at.Address || filepath.Base(second.Address) != next {
		t.Errorf("the next engine is at %+v, want at %s", second, next)
	}
	r.report(second) // whoever answers knows its token
	if conn, err := at.Dial(t.Context()); err == nil {
		conn.Close()
		t.Error("somebody listens where the first engine did")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "e*.sock")); err != nil || len(left) != 1 {
		t.Errorf("there are %q, %v", left, err)
	}
}

// TestEngineAtAFormerVersionsSocketGoesOn: it is adopted where it listens, which proves
// nothing, and the next one is proven.
func TestEngineAtAFormerVersionsSocketGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.here()
	project := mint.NewProjectID()
	r.submit(project) // makes its directories
	if err := r.Stop(t.Context(), project, false); err != nil {
		t.Fatal(err)
	}
	r.close(StopAll)
	e, err := state.ReadEntry(r.state(project))
	if err != nil {
		t.Fatal(err)
	}
	e.InstanceID, e.Socket = mint.NewInstanceID(time.Now()), filepath.Join(r.runtime(project), "e.sock")
	e.Generation++
	if e.Handle, err = r.newDriver().Start(t.Context(), driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: project, Generation: e.Generation, InstanceID: e.InstanceID},
		OwnerID:     "owner", Volume: r.volume(project), RuntimeDir: r.runtime(project), StateDir: r.state(project),
		Socket: e.Socket, TokenFile: state.Layout{Root: r.options.DataDir}.Token(project),
	}, nil); err != nil {
		t.Fatal(err)
	}
	if err := state.WriteEntry(r.state(project), e); err != nil {
		t.Fatal(err)
	}
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	starts := fakeengine.Starts(r.volume(project))
	at := r.submit(project)
	if at.Address != e.Socket || at.Proven || at.InstanceID != e.InstanceID {
		t.Errorf("adopted at %+v, want unproven at %s", at, e.Socket)
	}
	r.report(at)
	if err := r.Stop(t.Context(), project, false); err != nil {
		t.Fatal(err)
	}
	r.eventuallyState(project, engineproxy.StateAbsent)
	if at := r.submit(project); !at.Proven || fakeengine.Starts(r.volume(project)) != starts+1 {
		t.Errorf("the next engine is at %+v", at)
	}
	if _, err := os.Lstat(e.Socket); !os.IsNotExist(err) {
		t.Errorf("the former socket is still there: %v", err)
	}
}

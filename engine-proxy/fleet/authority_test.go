package fleet

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/test/wait"
)

func TestLostAuthorityCostsTheEnginesAndNotTheJobs(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, func(o *Options) {
		o.Timing.Recover, o.Timing.Grace, o.Timing.BackOff = 100*time.Millisecond, 200*time.Millisecond, time.Millisecond
	})
	project := mint.NewProjectID()
	first := r.submit(project)
	job := r.accept(project, first)
	r.close(KeepEngines)
	if err := os.Remove(filepath.Join(r.dir, state.StatesDir, "authority.pem")); err != nil {
		t.Fatal(err)
	}
	r.open()
	wait.Until(t, "another engine takes over", func() bool {
		i := r.info(project)
		return i.State == engineproxy.StateReady && i.InstanceID != first.InstanceID
	})
	if v, err := r.Fence(t.Context(), engineproxy.Project{ID: project}, job); err != nil || v != contract.Accepted {
		t.Errorf("the job: %s, %v", v, err)
	}
}

// TestAuthorityIsReplacedWithoutARestartAndEnginesKeepWorking: one that ran goes on with its
// certificate, over a restart as well, a new one has another, and once the first is gone its
// authority is forgotten.
func TestAuthorityIsReplacedWithoutARestartAndEnginesKeepWorking(t *testing.T) {
	t.Parallel()
	r := newElsewhereRig(t, nil)
	old, path := mint.NewProjectID(), filepath.Join(r.dir, state.StatesDir, "authority.pem")
	first := r.submit(old)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	former := filepath.Join(r.dir, state.StatesDir, "authority-former.pem")
	wait.Until(t, "another authority is made", func() bool {
		now, err := os.ReadFile(path)
		return err == nil && !bytes.Equal(now, before) && r.authorities.Former() != nil // it is on the disk first
	})
	if kept, err := os.ReadFile(former); err != nil || !bytes.Equal(kept, before) {
		t.Errorf("the former one is not kept: %v", err)
	}
	young := mint.NewProjectID()
	second := r.submit(young)
	known := func(at engineproxy.Endpoint) {
		t.Helper()
		conn, err := at.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close() // it was let in
	}
	known(r.submit(old))
	known(second)
	r.close(KeepEngines)
	r.open()
	for project, was := range map[string]engineproxy.Endpoint{old: first, young: second} {
		if err := r.AwaitReady(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		at := r.submit(project)
		if at.InstanceID != was.InstanceID {
			t.Errorf("after a restart %s took the place of %s", at.InstanceID, was.InstanceID)
		}
		known(at)
	}
	if err := r.Stop(t.Context(), old, true); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the former authority is forgotten", func() bool {
		_, err := os.Stat(former)
		return os.IsNotExist(err)
	})
	known(r.submit(young))
	known(r.submit(old))
}

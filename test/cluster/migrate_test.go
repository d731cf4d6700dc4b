package cluster

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// svc runs a command on the machine's folder, with the URL of the database in SVC_STORE.
func (b *stand) svc(url string, args ...string) (string, error) {
	cmd := exec.Command(rig.Bin(b.t, "svc"), args...)
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+b.Dir, "SVC_STORE="+url)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestAServiceMovesToPostgreSQLWithItsKeysJobsAndEngines: a job is under way all the while,
// and a start that forgets the database is refused.
func TestAServiceMovesToPostgreSQLWithItsKeysJobsAndEngines(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{Hold: "stay"})
	letEnd := b.Hold("stay")
	under := b.Generate(b.key, b.project)
	b.done++
	wait.Until(t, "the job runs", func() bool { return b.Job(b.key, under).Status == api.JobRunning })
	engines := b.Engines()
	if err := b.Stop(); err != nil {
		t.Fatal(err)
	}

	url := postgrestest.URL(t)
	if said, err := b.svc(url, "admin", "migrate"); err != nil || !strings.Contains(said, "Moved in ") {
		t.Fatalf("the move: %v: %s", err, said)
	}
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	wait.For(t, "a start without the database ends", b.Exited())
	if !strings.Contains(b.Log(), "svc.db: moved to PostgreSQL, file does not exist: set SVC_STORE") {
		t.Errorf("the log does not say what to do:\n%s", b.Log())
	}

	b.Env = append(b.Env, "SVC_STORE="+url)
	if err := errors.Join(b.Start(), b.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	letEnd()
	if job := b.Finish(b.key, under); job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
		t.Errorf("the job that was under way: %+v", job)
	}
	if now := b.Engines(); !slices.Equal(now, engines) {
		t.Errorf("the engines are %v, and were %v", now, engines)
	}
	b.anotherJob()
	b.wantFree()
	if a := b.Call(b.key, http.MethodGet, "/v1/projects/"+b.project, nil); a.Status != http.StatusOK {
		t.Errorf("the project: %d %s", a.Status, a.Body)
	}
	if said, _ := b.svc(url, "doctor"); !strings.Contains(said, "ok    ledger, balances") {
		t.Errorf("doctor, whose code tells of the machine as well, says %s", said)
	}
}

package e2e

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// TestRestoredBackupServesWhatWasThere makes a backup while jobs are under way, loses the
// place and goes on in another one.
func TestRestoredBackupServesWhatWasThere(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	project := s.newProject(key)
	first := s.generate(key, project, brief)
	if job := s.finish(key, first); job.Status != api.JobCompleted {
		t.Fatalf("the job ended as %s %+v", job.Status, job.Failure)
	}
	files := func(s *service) []byte {
		t.Helper()
		a := s.call(key, "GET", "/v1/generate/"+first.JobID+"/files?projectId="+project, nil)
		if a.status != http.StatusOK {
			t.Fatalf("files: %d %s", a.status, a.body)
		}
		return a.body
	}
	game := files(s)
	open := s.queue(key, 3)
	folder := filepath.Join(t.TempDir(), "backup")
	if said := s.svc("admin", "backup", folder); !strings.Contains(said, project) {
		t.Errorf("the volumes are not listed:\n%s", said)
	}
	if err := s.stop(os.Interrupt); err != nil {
		t.Errorf("a clean stop ended with %v", err)
	}
	s.stopEngines()

	again := newService(t, f)
	again.secrets = append(again.secrets, key.Secret)
	if said := again.svc("admin", "restore", folder); !strings.Contains(said, "is lost: the last ") {
		t.Errorf("what is lost is not said:\n%s", said)
	}
	doctor := exec.Command(bin(t, "svc"), "doctor", "--deep")
	doctor.Env = append(os.Environ(), "SVC_DATA_DIR="+again.dir, "SVC_ADDRESS=http://"+again.addr)
	said, err := doctor.CombinedOutput()
	for _, want := range []string{"ok    ledger, balances", "ok    archive: ", "ok    archive, jobs of the ledger: all ", "ok    policies: "} {
		if err != nil || !bytes.Contains(said, []byte(want)) {
			t.Fatalf("%v, want %q in\n%s", err, want, said)
		}
	}
	again.start()
	if !bytes.Equal(files(again), game) {
		t.Error("the game is another one")
	}
	for _, sub := range open { // the engine that had them is gone with its volume
		again.finish(key, sub)
	}
	if u := again.usage(key); u.RunningJobs != 0 || u.JobsThisMonth != int64(1+len(open)) {
		t.Errorf("usage is %+v", u)
	}
	next := again.generate(key, project, brief)
	if job := again.finish(key, next); job.Status != api.JobCompleted {
		t.Errorf("a job after the restore ended as %s %+v", job.Status, job.Failure)
	}
}

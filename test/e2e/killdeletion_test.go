package e2e

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// TestAKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject kills the gateway
// when the ledger has deleted a project and its engine is still there. In the
// split form the engine proxy has then not even heard of it.
func TestAKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject(t *testing.T) {
	inEveryForm(t, aKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject)
}

func aKillBetweenTheStepsOfADeletionLeavesNothingOfTheProject(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	job := s.queue(key, 1)[0]
	s.finish(key, job)
	left := []string{
		filepath.Join(s.dir, "projects", job.ProjectID), filepath.Join(s.dir, "run", job.ProjectID),
		filepath.Join(s.dir, "engines", job.ProjectID), filepath.Join(s.dir, "archive", job.JobID),
	}
	release := s.holdEngines()
	defer release()
	if s.form.split() {
		s.hold(s.engineProxy.cmd.Process.Pid)
	}
	path, deleted := "/v1/projects/"+job.ProjectID, make(chan int, 1)
	go func() { deleted <- s.ask(key, "DELETE", path, "") }()
	s.eventually("the ledger has deleted the project", func() bool {
		status := s.ask(key, "GET", path, "")
		return status == http.StatusForbidden || status == http.StatusNotFound
	})
	s.stop(os.Kill)
	if status := <-deleted; status != 0 {
		t.Fatalf("the deletion was answered with %d before the kill", status)
	}
	for _, dir := range left {
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("it was gone before the kill: %v", err)
		}
	}
	release()
	s.start()
	s.eventually("nothing is left of the project", func() bool {
		for _, dir := range left {
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				return false
			}
		}
		return len(s.enginePIDs()) == 0
	})
}

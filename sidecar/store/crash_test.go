package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// crashPath names, in the environment of a child process, the database that it
// writes to until it is killed.
const crashPath = "SVC_TEST_CRASH_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(path))
		os.Exit(1)
	}
	if path := os.Getenv(cutOffPath); path != "" {
		fmt.Fprintln(os.Stderr, dieMigrating(path))
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}

// writeUntilKilled adds users from eight goroutines and prints the id of each
// that the store said was written.
func writeUntilKilled(path string) error {
	s, err := OpenSQLite(context.Background(), path)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%d-%d", i, n)
				if err := s.Update(context.Background(), addUser(id)); err != nil {
					errs <- err
					return
				}
				fmt.Println(id)
			}
		}()
	}
	return <-errs
}

func TestAcknowledgedWritesSurviveKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "svc.db")
	for round := range 3 {
		crash := fmt.Sprintf("%s.%d", path, round)
		child := exec.Command(self)
		child.Env = append(os.Environ(), crashPath+"="+crash)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		written := make(map[string]bool)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			written[lines.Text()] = true
			if len(written) == 100*(round+1) {
				if err := child.Process.Kill(); err != nil {
					t.Error(err)
				}
			}
		}
		if err := child.Wait(); err == nil {
			t.Error("the child ended by itself")
		}
		stored := make(map[string]bool)
		for _, id := range users(t, open(t, crash)) {
			stored[id] = true
		}
		for id := range written {
			if !stored[id] {
				t.Errorf("round %d: %s was acknowledged and is lost", round, id)
			}
		}
		if len(written) < 100 {
			t.Errorf("round %d: only %d acknowledged", round, len(written))
		}
	}
}

package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func TestDoctorFindsDamageInTheArchiveWhenItLooksDeep(t *testing.T) {
	dir := t.TempDir()
	if got := Deep(t.Context(), dir); got != nil {
		t.Errorf("before the first start: %+v", got)
	}
	kept, err := archive.Open(filepath.Join(dir, archiveDir))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	rec, err := kept.PutEnd(contract.JobRecord{
		JobID: mint.NewJobID(at), ProjectID: mint.NewProjectID(), Status: api.JobFailed, FinishedAt: &at, LastEventID: 1,
		Failure: &api.Failure{Code: api.FailureInternal, Message: "m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := archiveChecks(t.Context(), dir); len(got) != 1 || !got[0].OK || !strings.HasPrefix(got[0].Found, "1 jobs, ") {
		t.Errorf("got %+v", got)
	}
	if err := os.Truncate(filepath.Join(dir, archiveDir, rec.JobID, "files.zip"), 3); err != nil {
		t.Fatal(err)
	}
	got := archiveChecks(t.Context(), dir)
	if len(got) != 1 || got[0].OK || !got[0].Required || !strings.Contains(got[0].Found, rec.JobID) || got[0].Advice == "" {
		t.Errorf("got %+v", got)
	}
}

func TestDoctorFindsEndedJobsThatAreNotInTheArchive(t *testing.T) {
	t.Setenv("SVC_STORE", "")
	dir, id := endedJob(t)
	if err := os.Mkdir(filepath.Join(dir, archiveDir), 0o700); err != nil {
		t.Fatal(err)
	}
	missing := func() Check {
		t.Helper()
		got := archiveChecks(t.Context(), dir)
		if len(got) != 2 {
			t.Fatalf("got %+v", got)
		}
		return got[1]
	}
	if k := missing(); k.OK || !k.Required || !strings.Contains(k.Found, "1 of 1 are not there: "+id) {
		t.Errorf("got %+v", k)
	}
	if err := os.Mkdir(filepath.Join(dir, archiveDir, id), 0o700); err != nil {
		t.Fatal(err)
	}
	if k := missing(); !k.OK {
		t.Errorf("got %+v", k)
	}
	if err := os.RemoveAll(filepath.Join(dir, archiveDir)); err != nil {
		t.Fatal(err)
	}
	if got := archiveChecks(t.Context(), dir); len(got) != 0 {
		t.Errorf("where engines are elsewhere: %+v", got)
	}
	if err := os.Mkdir(filepath.Join(dir, state.StatesDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := archiveChecks(t.Context(), dir); len(got) != 1 || got[0].OK {
		t.Errorf("where they are here: %+v", got)
	}
}

func TestDoctorReadsTheStoresFileWhenItLooksDeep(t *testing.T) {
	t.Setenv("SVC_STORE", "")
	dir, _ := endedJob(t)
	path := filepath.Join(dir, store.SQLiteFile)
	if got := fileChecks(t.Context(), dir); len(got) != 1 || !got[0].OK {
		t.Errorf("got %+v", got)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw[len(raw)-4096:])
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	wantFailure := func() {
		t.Helper()
		if got := fileChecks(t.Context(), dir); len(got) != 1 || got[0].OK || !got[0].Required || got[0].Advice == "" {
			t.Errorf("got %+v", got)
		}
	}
	wantFailure()
	if err := errors.Join(os.Remove(path), os.Mkdir(filepath.Join(dir, activation.KeptDir), 0o700)); err != nil {
		t.Fatal(err)
	}
	wantFailure()
	t.Setenv("SVC_STORE", "postgres://db/svc")
	if got := fileChecks(t.Context(), dir); got != nil {
		t.Errorf("with another store: %+v", got)
	}
}

// endedJob returns a data directory with a store that has one ended job.
func endedJob(t *testing.T) (dir, jobID string) {
	t.Helper()
	dir, jobID = t.TempDir(), mint.NewJobID(time.Now())
	s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	registry := keys.New(s, nil)
	_, err = registry.CreateUser(t.Context(), "test", "alice", 5)
	if err != nil {
		t.Fatal(err)
	}
	key, err := registry.Create(t.Context(), "test", "alice", "key", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	project := mint.NewProjectID()
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at) VALUES (?, 'alice', 's', 'n', 'blank', '', 1)", project)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
			VALUES (?, ?, ?, 'settled', 'completed', '{}', 'd:2026-11-20', 'm:2026-11', 1, 1, 1)`, jobID, key.ID, project)
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, jobID
}

package commands

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/freeport"
)

// TestDoctorChecksTheLedger asks while the database is open, as under a service.
func TestDoctorChecksTheLedger(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	dir := t.TempDir()
	path := filepath.Join(dir, store.SQLiteFile)
	for name, address := range map[string]string{"SQLite": "sqlite", "PostgreSQL": postgrestest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SVC_STORE", address)
			doctor := func() string {
				t.Helper()
				_, stdout, _ := svc("doctor", "--data-dir", dir)
				return stdout
			}
			if got := doctor(); strings.Contains(got, "ledger") {
				t.Errorf("before the first start:\n%s", got)
			}
			s, err := openNamed(t, address, path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := keys.New(s, nil).CreateUser(t.Context(), "test", "alice", 5); err != nil {
				t.Fatal(err)
			}
			var findings []ledger.Finding
			if err := s.View(t.Context(), func(r *store.Reader) error {
				findings, err = ledger.CheckInvariants(r)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			got := doctor()
			for _, f := range findings {
				if !strings.Contains(got, "ok    ledger, "+f.Name+": "+f.Rule+"\n") {
					t.Errorf("no line for %s in\n%s", f.Name, got)
				}
			}
			if err := s.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec("UPDATE balances SET tik = 6")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			const want = "FAIL  ledger, balances: a balance is the sum of its user's entries, but not \"alice\"; see "
			if got := doctor(); !strings.Contains(got, want) {
				t.Errorf("want %q in\n%s", want, got)
			}
		})
	}
}

// TestDoctorNamesARowWithoutItsParent writes one as another program may, which has
// SQLite's references off.
func TestDoctorNamesARowWithoutItsParent(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	t.Setenv("SVC_STORE", "sqlite")
	dir := t.TempDir()
	path := filepath.Join(dir, store.SQLiteFile)
	s, err := store.OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO balances (user_id, tik) VALUES ('nobody', 0)"); err != nil {
		t.Fatal(err)
	}
	const want = `FAIL  ledger, references: a row's user, key, project and job exist, but not "balances.user_id nobody"; see `
	if code, stdout, _ := svc("doctor", "--data-dir", dir); code != exitError || !strings.Contains(stdout, want) {
		t.Errorf("exit %d, want %q in\n%s", code, want, stdout)
	}
}

// openNamed opens the store that SVC_STORE names.
func openNamed(t *testing.T, address, path string) (*store.Store, error) {
	if store.IsPostgresURL(address) {
		return store.OpenPostgres(t.Context(), address)
	}
	return store.OpenSQLite(t.Context(), path)
}

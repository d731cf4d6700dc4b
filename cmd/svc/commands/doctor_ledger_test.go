package commands

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
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

func TestDoctorFailsOverALedgerThatItCanNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.SQLiteFile)
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	checks := ledgerChecks(t.Context(), path)
	if len(checks) != 1 || checks[0].OK || !checks[0].Required || !strings.Contains(checks[0].Found, "not checked: ") || checks[0].Advice == "" {
		t.Errorf("got %+v", checks)
	}
}

func TestViolationsAreOneLine(t *testing.T) {
	k := invariantChecks([]ledger.Finding{{Name: "entries", Rule: "all is well", Violations: []string{"a\nok  b", "c"}, More: true}})[0]
	if want := `all is well, but not "a\nok  b", "c" and others`; k.Found != want || !k.Required || k.OK {
		t.Errorf("got %+v, want %q", k, want)
	}
}

func TestDoctorFindsAGameWhoseEventsAreNotPaid(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) (ledger, log string){
		"SQLite": func(t *testing.T) (string, string) {
			dir := t.TempDir()
			return filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
		},
		"PostgreSQL": func(t *testing.T) (string, string) {
			url := postgrestest.URL(t)
			return url, url
		},
	} {
		t.Run(name, func(t *testing.T) {
			of, at := address(t)
			open := store.OpenSQLite
			if store.IsPostgresURL(of) {
				open = store.OpenPostgres
			}
			s, err := open(t.Context(), of)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := meterChecks(t.Context(), at, of); got != nil {
				t.Errorf("before the first play: %+v", got)
			}
			log, err := analytics.Open(t.Context(), at, generous{}, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			if got := meterChecks(t.Context(), at, of); len(got) != 1 || !got[0].OK {
				t.Errorf("nothing was played: %+v", got)
			}
			batch := play.Batch{Game: "0123456789abcdef01234567", Stream: strings.Repeat("0", 32), Events: []play.Event{{Seq: 1, Name: "start"}}}
			if _, err := log.Record(t.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic}); err != nil {
				t.Fatal(err)
			}
			want := "game 0123456789abcdef01234567 was granted 1 blocks and paid 0"
			if got := meterChecks(t.Context(), at, of); len(got) != 1 || got[0].OK || got[0].Found != want {
				t.Errorf("found %+v, want %s", got, want)
			}
		})
	}
}

// generous sells blocks of which the ledger knows nothing.
type generous struct{}

func (generous) BuyBlock(context.Context, string, int64) (bool, error) { return true, nil }

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

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

func TestDoctorFailsOverAStoreThatWasMovedAndIsNotNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.SQLiteFile)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.SetAside(path); err != nil {
		t.Fatal(err)
	}
	checks := ledgerChecks(t.Context(), path)
	if len(checks) != 1 || checks[0].OK || !checks[0].Required || !strings.Contains(checks[0].Advice, "SVC_STORE") {
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

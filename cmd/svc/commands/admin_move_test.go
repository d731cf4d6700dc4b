package commands

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// TestADatabaseOfAnotherServiceIsNotTouchedByAMove: neither its tables nor the meters of its
// games.
func TestADatabaseOfAnotherServiceIsNotTouchedByAMove(t *testing.T) {
	dir, to := t.TempDir(), postgrestest.URL(t)
	file, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	ours, err := store.OpenSQLite(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	played, err := analytics.Open(t.Context(), plays, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ours.Close(), played.Close()); err != nil {
		t.Fatal(err)
	}
	query(t, "sqlite", plays, "INSERT INTO play_meters (game, granted, used) VALUES ('g', 1, 10) RETURNING true")
	other, err := store.OpenPostgres(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	_, err = keys.New(other, nil).CreateUser(t.Context(), "test", "bob", 1)
	if err = errors.Join(err, other.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	if query(t, "pgx", to, "SELECT to_regclass('play_meters') IS NOT NULL") {
		t.Error("it has got tables of games that are played")
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the store that was not moved: %v", err)
	}
}

// query runs a query whose result is one truth.
func query(t *testing.T, driver, address, text string) (yes bool) {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err == nil {
		err = errors.Join(db.QueryRowContext(t.Context(), text).Scan(&yes), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

func TestStoreIsNotMovedWhileAServiceHasIt(t *testing.T) {
	dir, to := t.TempDir(), postgrestest.URL(t)
	file := filepath.Join(dir, store.SQLiteFile)
	s, err := store.OpenSQLite(t.Context(), file) // a service without an admin socket
	if err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); err == nil || !strings.Contains(err.Error(), "runs: stop it first") {
		t.Errorf("beside a service: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); err != nil {
		t.Error(err)
	}
	_, gone := os.Stat(file)
	if _, err := os.Stat(file + ".moved"); err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("after the move: %v, %v", gone, err)
	}
}

func TestWhatAnOwnerSetOfAGameMovesAlong(t *testing.T) {
	const game = "0123456789abcdef01234567"
	dir, to := t.TempDir(), postgrestest.URL(t)
	s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, store.SQLiteFile))
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	play := func(address string, do func(*analytics.Log) error) {
		t.Helper()
		l, err := analytics.Open(t.Context(), address, nil, time.Now)
		if err == nil {
			err = errors.Join(do(l), l.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	rules := analytics.BoardRulesOf(api.BoardRules{Better: api.BetterLower, Rewards: []api.RewardRule{{ID: "first", Name: "First", Kind: api.RewardWin}}})
	plays := filepath.Join(dir, analytics.File)
	play(plays, func(l *analytics.Log) error {
		return errors.Join(l.SetAskConsent(t.Context(), game, true), l.SetBoardRules(t.Context(), game, rules))
	})
	tables, err := moveStore(t.Context(), dir, to)
	if err != nil || !slices.Contains(tables, store.Table{Name: "play_options", Rows: 1}) {
		t.Fatalf("moved are %v, %v", tables, err)
	}
	play(to, func(l *analytics.Log) error {
		ask, err := l.AskConsent(t.Context(), game)
		got, failed := l.BoardRules(t.Context(), game)
		if !ask || !got.Lower || len(got.Rewards) != 1 {
			t.Errorf("after the move players are asked %v, and the board has %+v", ask, got)
		}
		return errors.Join(err, failed)
	})
	if _, err := os.Stat(plays + ".moved"); err != nil {
		t.Error(err)
	}
}

// TestAMoveThatWasCutShortIsEnded: no service starts on the plays alone, and the same
// command sets them aside.
func TestAMoveThatWasCutShortIsEnded(t *testing.T) {
	dir := t.TempDir()
	file, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.WriteFile(plays, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := store.SetAside(file); err != nil { // and killed
		t.Fatal(err)
	}
	if _, err := store.OpenSQLite(t.Context(), file); !errors.Is(err, store.ErrMoved) {
		t.Errorf("a service starts: %v", err)
	}
	if _, err := moveStore(t.Context(), dir, "postgres://nobody.invalid/svc"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(plays + ".moved"); err != nil {
		t.Error(err)
	}
	if _, err := moveStore(t.Context(), dir, "postgres://nobody.invalid/svc"); !errors.Is(err, store.ErrMoved) {
		t.Errorf("once it was ended: %v", err)
	}
}

// TestTheStoreIsSetAsideBeforeThePlays: the other way round, what a service began on the old
// store would have lost its plays.
func TestTheStoreIsSetAsideBeforeThePlays(t *testing.T) {
	dir, to := t.TempDir(), postgrestest.URL(t)
	file, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	s, err := store.OpenSQLite(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	log, err := analytics.Open(t.Context(), plays, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	// The store can't be set aside.
	if err := errors.Join(s.Close(), log.Close(), os.MkdirAll(filepath.Join(file+".moved", "full"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); err == nil {
		t.Error("the store was set aside")
	}
	if _, err := os.Stat(plays); err != nil {
		t.Errorf("the plays of the store that is still in use: %v", err)
	}
}

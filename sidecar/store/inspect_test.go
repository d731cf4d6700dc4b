package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestInspectionFindsWhatADatabaseHasAndChangesNothing(t *testing.T) {
	url := postgrestest.URL(t)
	steps, err := migrations(&postgres)
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(url string) Inspection {
		t.Helper()
		found, err := InspectPostgres(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if found.Number < 90000 || found.Version == "" || found.Newest != len(steps) || found.Place == "" {
			t.Errorf("found %+v", found)
		}
		return found
	}
	for range 2 { // the first look leaves nothing behind
		if found := inspect(url); found.Schema != 0 || len(found.Off) != 0 {
			t.Errorf("an empty database: %+v", found)
		}
	}
	s, err := OpenPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found := inspect(url); found.Schema != len(steps) {
		t.Errorf("a database of ours: %+v", found)
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO schema_steps (version, name, applied_at) VALUES ($1, 'later', 0)", len(steps)+7); err != nil {
		t.Fatal(err)
	}
	found := inspect(url + "&synchronous_commit=off")
	if found.Schema != len(steps)+7 || !slices.Equal(found.Off, []string{"synchronous_commit"}) {
		t.Errorf("a newer database, whose commits don't wait: %+v", found)
	}
}

func TestInspectionThatFailsDoesNotShowThePassword(t *testing.T) {
	for _, url := range []string{
		"postgres://u:s3cret@127.0.0.1:1/db",
		"postgres://u:s3cret@127.0.0.1:one/db",
		"postgres://u:s3cret@127.0.0.1:1/db?sslmode=s3cret",
	} {
		if _, err := InspectPostgres(context.Background(), url); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v", err)
		}
	}
}

package commands

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/freeport"
)

func TestDoctorLooksAtPostgreSQL(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	doctor := func(address string) string {
		t.Helper()
		t.Setenv("SVC_STORE", address)
		_, stdout, stderr := svc("doctor", "--data-dir", t.TempDir())
		if strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("the password is shown:\n%s%s", stdout, stderr)
		}
		return stdout
	}
	url := strings.Replace(postgrestest.URL(t), "user=postgres", "user=postgres&password=s3cret", 1)
	for address, want := range map[string]string{
		url:                                     "ok    PostgreSQL: database postgres at ",
		url + "&synchronous_commit=off":         "no    durability of PostgreSQL: off: synchronous_commit; ",
		"postgres://u:s3cret@127.0.0.1:1/games": "FAIL  PostgreSQL: connecting to PostgreSQL database games at 127.0.0.1: ",
		"postgres://u:s3cret@host:port/games":   "FAIL  PostgreSQL: the store's address is not acceptable",
		"mysql://u:s3cret@host/games":           `FAIL  PostgreSQL: SVC_STORE is neither "sqlite" nor a postgres:// URL; correct SVC_STORE`,
	} {
		if got := doctor(address); !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	for _, address := range []string{"", "sqlite"} {
		if got := doctor(address); strings.Contains(got, "  PostgreSQL: ") {
			t.Errorf("%q: got\n%s", address, got)
		}
	}
}

func TestDoctorRefusesADatabaseThatTheServiceWouldNotOpen(t *testing.T) {
	found := store.Inspection{Place: "database d at h", Version: "17.4", Number: 170004, Schema: 5, Newest: 5}
	older, newer, empty, old := found, found, found, found
	older.Schema, newer.Schema, empty.Schema = 4, 6, 0
	old.Version, old.Number = "13.1", 130001
	for _, tt := range []struct {
		found store.Inspection
		ok    bool
		says  string
	}{
		{found, true, "schema of version 5"},
		{older, true, "from version 4 to 5"},
		{empty, true, "makes the tables"},
		{newer, false, "newer version of svc"},
		{old, false, "is of version 13.1"},
	} {
		k := inspected(tt.found)[0]
		if k.OK != tt.ok || !k.Required || !strings.Contains(k.Found, tt.says) || k.OK == (k.Advice != "") {
			t.Errorf("%+v: got %+v", tt.found, k)
		}
	}
}

package commands

import (
	"strings"
	"testing"

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

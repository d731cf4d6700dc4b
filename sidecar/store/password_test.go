package store_test

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer/secret"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/wait"
)

// TestAPasswordOfPostgreSQLIsChangedWithoutARestart: connections that are open stay, and new
// ones are made with what its file holds by then.
func TestAPasswordOfPostgreSQLIsChangedWithoutARestart(t *testing.T) {
	address := postgrestest.URL(t)
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	role, file := "svc_"+strings.ToLower(rand.Text()[:8]), filepath.Join(t.TempDir(), "password")
	do("CREATE ROLE " + role + " SUPERUSER LOGIN PASSWORD 'one'")
	distrust(t, admin, role)
	do("SELECT pg_reload_conf()")

	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("user", role)
	query.Set(secret.Parameter, file)
	u.RawQuery = query.Encode()
	write(t, file, "wrong")
	wait.Until(t, "a wrong password is refused", func() bool {
		_, err := store.InspectPostgres(t.Context(), u.String())
		return err != nil && strings.Contains(err.Error(), "password authentication failed")
	})
	write(t, file, "one\n")
	s, err := store.OpenPostgres(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read := func() error {
		return s.View(t.Context(), func(r *store.Reader) error { _, err := r.Now(nil); return err })
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	do("ALTER ROLE " + role + " PASSWORD 'two'")
	write(t, file, "two\n")
	if err := read(); err != nil {
		t.Errorf("on a connection that is open: %v", err)
	}
	do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", role)
	wait.Until(t, "a new connection is made with the new password", func() bool { return read() == nil })
	if _, err := store.InspectPostgres(t.Context(), u.String()); err != nil {
		t.Error(err)
	}
	write(t, file, "one\n")
	if _, err := store.InspectPostgres(t.Context(), u.String()); err == nil {
		t.Error("the old password is taken")
	}
}

// distrust has the server ask a role for its password once it reads its rules again; it trusts
// all others.
func distrust(t *testing.T, admin *sql.DB, role string) {
	t.Helper()
	var rules string
	if err := admin.QueryRowContext(t.Context(), "SHOW hba_file").Scan(&rules); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	write(t, rules, "local all "+role+" scram-sha-256\n"+string(before))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// constraintsStep gives constraints names and adds some; it makes most tables of SQLite
// anew.
const constraintsStep = 11

// TestRowsThatBreakANewConstraintStay: they are for svc doctor to find, and do not
// keep the service from starting.
func TestRowsThatBreakANewConstraintStay(t *testing.T) {
	for name, connect := range bare {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			before(t, c, constraintsStep-1)
			broken := strings.ReplaceAll(entryOf("", "credit", "NULL", "NULL", -7, "[]"), "'u'", "'alice'")
			for i := range 25 {
				broken += ";" + strings.ReplaceAll(keyOf(i, "active"), "'u'", "'alice'")
			}
			if _, err := c.sql.ExecContext(t.Context(), broken); err != nil {
				t.Fatal(err)
			}
			rows := map[string][]string{"tik_entries": rowsOf(t, c, "tik_entries"), "keys": rowsOf(t, c, "keys")}
			if err := migrate(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			wantRows(t, c, rows)
			for _, statement := range []string{
				"UPDATE keys SET running = running + 1, last_used_at = 8 WHERE user_id = 'alice'",
				"UPDATE keys SET state = 'revoked' WHERE id = 'k1'",
			} {
				if _, err := c.sql.ExecContext(t.Context(), statement); err != nil {
					t.Errorf("%s: %v", statement, err)
				}
			}
			again := strings.ReplaceAll(entryOf("", "credit", "NULL", "NULL", -7, "[]"), "'u', ", "'alice', ")
			if _, err := c.sql.ExecContext(t.Context(), strings.ReplaceAll(again, "'credit', 1", "'credit', 2")); err == nil ||
				!strings.Contains(err.Error(), "tik_entries_shape_check") {
				t.Errorf("a further one: %v", err)
			}
		})
	}
}

// TestRowsWithoutTheirParentStay: a change by hand, for which SQLite checks no references,
// or a damaged file, may have left them. PostgreSQL has none.
func TestRowsWithoutTheirParentStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	connect := func() *conn {
		db, err := openSQLite(path, 1, busyTimeout, useLog)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
	}
	c := connect()
	before(t, c, 7) // version 8 makes tables anew as well
	if _, err := c.sql.ExecContext(t.Context(), "PRAGMA foreign_keys = OFF; DELETE FROM projects; DELETE FROM users"); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{"jobs": rowsOf(t, c, "jobs"), "keys": rowsOf(t, c, "keys")}
	if err := c.discard(); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := execAll(t, s, "UPDATE keys SET running = 0", "UPDATE jobs SET tik_spent = tik_spent"); err != nil {
		t.Errorf("changing the rows: %v", err)
	}
	if err := execAll(t, s, "UPDATE keys SET user_id = 'nobody'"); err == nil {
		t.Error("references are not checked any more")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := connect()
	if err := again.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows["keys"][0] = strings.Replace(rows["keys"][0], "running:1", "running:0", 1)
	wantRows(t, again, rows)
}

// TestOtherApplicationsInOneSchemaAreLeftAlone: what is of another application in
// the schema keeps its name, and has names that svc might have taken.
func TestOtherApplicationsInOneSchemaAreLeftAlone(t *testing.T) {
	const others = `
		CREATE TABLE orders (n BIGINT CONSTRAINT orders_check CHECK (n > 0) CONSTRAINT orders_check1 CHECK (n < 9));
		CREATE DOMAIN amount AS BIGINT CONSTRAINT amount_check1 CHECK (VALUE > 0);
		CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';`
	const names = `SELECT string_agg(name, ' ' ORDER BY name) FROM (
		SELECT conname AS name FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conname ~ '^(orders|amount)'
		UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace) n`
	wantNames := func(t *testing.T, c *conn, want string) {
		t.Helper()
		var got string
		if err := c.sql.QueryRowContext(t.Context(), names).Scan(&got); err != nil || got != want {
			t.Errorf("names %q (%v), want %q", got, err, want)
		}
	}
	t.Run("before constraints have names", func(t *testing.T) {
		c := bare["PostgreSQL"](t)
		before(t, c, constraintsStep-1)
		if _, err := c.sql.ExecContext(t.Context(), others); err != nil {
			t.Fatal(err)
		}
		if err := migrate(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantNames(t, c, "amount_check1 orders_check orders_check1 refused svc_keys_per_user svc_refused")
	})
	t.Run("with the earlier names of functions", func(t *testing.T) {
		c := bare["PostgreSQL"](t)
		before(t, c, constraintsStep)
		if _, err := c.sql.ExecContext(t.Context(), `ALTER FUNCTION svc_refused() RENAME TO refused;
			ALTER FUNCTION svc_keys_per_user() RENAME TO at_most_20_keys; CREATE FUNCTION refused(n BIGINT) RETURNS BIGINT LANGUAGE sql AS 'SELECT n'`); err != nil {
			t.Fatal(err)
		}
		if err := migrate(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		wantNames(t, c, "refused svc_keys_per_user svc_refused")
	})
}

// TestMigrationThatIsCutOffBeginsAnew: the process is killed, or the connection
// lost, when constraintsStep has done all but its commit.
func TestMigrationThatIsCutOffBeginsAnew(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), SQLiteFile)
		connect := func() *conn {
			db, err := openSQLite(path, 1, busyTimeout, useLog)
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
		}
		c := connect()
		rows := before(t, c, constraintsStep-1)
		if err := c.discard(); err != nil {
			t.Fatal(err)
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(self)
		child.Env = append(os.Environ(), cutOffPath+"="+path)
		child.Stderr = os.Stderr
		if err := child.Run(); err == nil || child.ProcessState.ExitCode() != -1 {
			t.Fatalf("the child was not killed: %v", err)
		}
		wantMigrated(t, connect(), rows)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		c := bare["PostgreSQL"](t)
		rows := before(t, c, constraintsStep-1)
		if err := applyConstraints(c, func() error {
			return c.exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
		}); err == nil || c.sql != nil {
			t.Fatalf("the connection was not lost: %v", err)
		}
		wantMigrated(t, c, rows)
	})
}

// wantMigrated has a database migrated whose migration was cut off in constraintsStep.
func wantMigrated(t *testing.T, c *conn, rows map[string][]string) {
	t.Helper()
	steps, err := migrations(c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(rowsOf(t, c, "schema_steps")); got != constraintsStep-1 {
		t.Errorf("after the cut %d steps, want %d", got, constraintsStep-1)
	}
	wantRows(t, c, rows)
	if err := errors.Join(c.end("ROLLBACK"), migrate(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	if got := len(rowsOf(t, c, "schema_steps")); got != len(steps) {
		t.Errorf("%d steps, want %d", got, len(steps))
	}
	wantRows(t, c, rows)
}

// applyConstraints applies constraintsStep and calls cut in its transaction.
func applyConstraints(c *conn, cut func() error) error {
	steps, err := migrations(c.dialect)
	if err != nil {
		return err
	}
	return inTransaction(context.Background(), c, func() error {
		if err := apply(context.Background(), c, steps[constraintsStep-1], len(steps)); err != nil {
			return err
		}
		return errors.Join(cut(), errors.New("cut off"))
	})
}

// cutOffPath names, in the environment of a child process, the database whose
// migration it dies in.
const cutOffPath = "SVC_TEST_CUT_OFF_PATH"

// dieMigrating has pages in the log before it dies.
func dieMigrating(path string) error {
	db, err := openSQLite(path, 1, busyTimeout, useLog, "cache_size(1)")
	if err != nil {
		return err
	}
	return applyConstraints(newConn(db, &sqlite, sqlite.beginWrite), func() error {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestDatabaseOfANewerVersionIsRefused(t *testing.T) {
	for name, opener := range openers {
		t.Run(name, func(t *testing.T) {
			open := opener(t)
			if err := opened(t, open).Update(t.Context(), func(tx *Tx) error {
				_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 1)")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := open(); !errors.Is(err, ErrNewer) {
				t.Errorf("got %v, want ErrNewer", err)
			}
		})
	}
}

func TestStepsAreAppliedOnceByProcessesThatOpenTogether(t *testing.T) {
	steps, err := migrations(&sqlite)
	if err != nil {
		t.Fatal(err)
	}
	for name, opener := range openers {
		t.Run(name, func(t *testing.T) {
			open := opener(t)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					s, err := open()
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			var applied int
			err = opened(t, open).View(t.Context(), func(r *Reader) error {
				return r.Row("SELECT count(*) FROM schema_steps").Scan(&applied)
			})
			if err != nil || applied != len(steps) || applied == 0 {
				t.Errorf("%d steps recorded (%v), want %d", applied, err, len(steps))
			}
		})
	}
}

// bare returns for each kind of store a connection to a database without a
// schema.
var bare = map[string]func(t *testing.T) *conn{
	"SQLite": func(t *testing.T) *conn {
		db, err := openSQLite(filepath.Join(t.TempDir(), "svc.db"), 1, busyTimeout, useLog)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
	},
	"PostgreSQL": func(t *testing.T) *conn {
		db, err := sql.Open("pgx", postgrestest.URL(t)+"&default_query_exec_mode=exec") // columns change between queries
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &postgres, postgres.beginWrite))
	},
}

func closing(t *testing.T, c *conn) *conn {
	t.Cleanup(func() {
		if err := errors.Join(c.discard(), c.db.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestFailedStepLeavesTheSchemaAsItWas(t *testing.T) {
	for name, connect := range bare {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			first := migration{1, "first", "CREATE TABLE one (id BIGINT)"}
			bad := migration{2, "bad", "CREATE TABLE two (id BIGINT); CREATE TABLE one (id BIGINT)"}
			if err := migrateTo(t.Context(), c, []migration{first, bad}); err == nil {
				t.Fatal("the bad step was applied")
			}
			good := migration{2, "good", "CREATE TABLE two (id BIGINT)"}
			if err := migrateTo(t.Context(), c, []migration{first, good}); err != nil {
				t.Errorf("the corrected step: %v", err)
			}
		})
	}
}

// TestEachEarlierVersionIsMigratedWithWhatItHolds fills a database of each
// version with testdata/VERSION.sql, which holds a row of every table as that
// version had them, and migrates it to the newest one. A step that changes what
// rows hold comes with a file for the version it leads to.
func TestEachEarlierVersionIsMigratedWithWhatItHolds(t *testing.T) {
	newest, err := migrations(&sqlite)
	if err != nil {
		t.Fatal(err)
	}
	for version := range len(newest) + 1 {
		seed := seedOf(t, version)
		for name, connect := range bare {
			t.Run(fmt.Sprintf("%d/%s", version, name), func(t *testing.T) {
				c := connect(t)
				steps, err := migrations(c.dialect)
				if err != nil {
					t.Fatal(err)
				}
				if err := migrateTo(t.Context(), c, steps[:version]); err != nil {
					t.Fatal(err)
				}
				before := seedRows(t, c, seed)
				if err := migrate(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				wantRows(t, c, before)
				if got := len(rowsOf(t, c, "schema_steps")); got != len(newest) {
					t.Errorf("%d steps recorded, want %d", got, len(newest))
				}
			})
		}
	}
}

// seedOf returns the rows of a version: those of the newest file that is not newer.
func seedOf(t *testing.T, version int) string {
	t.Helper()
	for ; version > 0; version-- {
		text, err := os.ReadFile(fmt.Sprintf("testdata/%04d.sql", version))
		if err == nil {
			return string(text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return ""
}

var insertInto = regexp.MustCompile(`INSERT INTO (\w+)`)

// seedRows runs a seed and returns the rows of the tables that it names.
func seedRows(t *testing.T, c *conn, seed string) map[string][]string {
	t.Helper()
	if _, err := c.sql.ExecContext(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	rows := make(map[string][]string)
	for _, table := range insertInto.FindAllStringSubmatch(seed, -1) {
		rows[table[1]] = rowsOf(t, c, table[1])
	}
	return rows
}

// rowsOf returns the rows of a table, each as its columns by name, in order.
func rowsOf(t *testing.T, c *conn, table string) (list []string) {
	t.Helper()
	rows, err := c.sql.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make(map[string]any) // which is written in the order of names
		for i, column := range columns {
			row[column] = values[i]
		}
		list = append(list, fmt.Sprint(row))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// before returns a connection to a database of a version with the rows of its seed.
func before(t *testing.T, c *conn, version int) (rows map[string][]string) {
	t.Helper()
	steps, err := migrations(c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), c, steps[:version]); err != nil {
		t.Fatal(err)
	}
	return seedRows(t, c, seedOf(t, version))
}

// wantRows compares the rows of tables with those of an earlier version.
func wantRows(t *testing.T, c *conn, want map[string][]string) {
	t.Helper()
	for table, rows := range want {
		if got := rowsOf(t, c, table); !slices.Equal(got, rows) {
			t.Errorf("%s holds\n%s\nwant\n%s", table, strings.Join(got, "\n"), strings.Join(rows, "\n"))
		}
	}
}

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

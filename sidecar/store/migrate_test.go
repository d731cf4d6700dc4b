package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		db, err := openSQLite(filepath.Join(t.TempDir(), "svc.db"), 1, useLog, "foreign_keys(1)")
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
	},
	"PostgreSQL": func(t *testing.T) *conn {
		db, err := sql.Open("pgx", postgrestest.URL(t))
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
// version had them, and migrates it to the newest one. A new step comes with a
// file for the version it leads to.
func TestEachEarlierVersionIsMigratedWithWhatItHolds(t *testing.T) {
	newest, err := migrations(&sqlite)
	if err != nil {
		t.Fatal(err)
	}
	for version := range len(newest) + 1 {
		seed := ""
		if version > 0 {
			text, err := os.ReadFile(fmt.Sprintf("testdata/%04d.sql", version))
			if err != nil {
				t.Fatal(err)
			}
			seed = string(text)
		}
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
				if got := countRows(t, c, "schema_steps"); got != len(newest) {
					t.Errorf("%d steps recorded, want %d", got, len(newest))
				}
			})
		}
	}
}

var insertInto = regexp.MustCompile(`INSERT INTO (\w+)`)

// seedRows runs a seed and returns how many rows the tables have that it names.
func seedRows(t *testing.T, c *conn, seed string) map[string]int {
	t.Helper()
	if _, err := c.sql.ExecContext(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, table := range insertInto.FindAllStringSubmatch(seed, -1) {
		counts[table[1]] = countRows(t, c, table[1])
	}
	return counts
}

func countRows(t *testing.T, c *conn, table string) int {
	t.Helper()
	var n int
	if err := c.sql.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// before returns a connection to a database of the version before the newest, with
// the rows of its seed.
func before(t *testing.T, c *conn) (counts map[string]int, newest int) {
	t.Helper()
	steps, err := migrations(c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	newest = len(steps)
	if err := migrateTo(t.Context(), c, steps[:newest-1]); err != nil {
		t.Fatal(err)
	}
	seed, err := os.ReadFile(fmt.Sprintf("testdata/%04d.sql", newest-1))
	if err != nil {
		t.Fatal(err)
	}
	return seedRows(t, c, string(seed)), newest
}

func wantRows(t *testing.T, c *conn, want map[string]int) {
	t.Helper()
	for table, n := range want {
		if got := countRows(t, c, table); got != n {
			t.Errorf("%d rows in %s, want %d", got, table, n)
		}
	}
}

// TestRowsThatBreakANewConstraintStay: they are for svc doctor to find, and do not
// keep the service from starting.
func TestRowsThatBreakANewConstraintStay(t *testing.T) {
	for name, connect := range bare {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			counts, _ := before(t, c)
			broken := strings.ReplaceAll(entryOf("", "credit", "NULL", "NULL", -7, "[]"), "'u'", "'alice'")
			for i := range 25 {
				broken += ";" + strings.ReplaceAll(keyOf(i, "active"), "'u'", "'alice'")
			}
			if _, err := c.sql.ExecContext(t.Context(), broken); err != nil {
				t.Fatal(err)
			}
			counts["tik_entries"]++
			counts["keys"] += 25
			if err := migrate(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			wantRows(t, c, counts)
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

// TestMigrationThatIsCutOffBeginsAnew: the process is killed, or the connection
// lost, when the newest step has done all but its commit.
func TestMigrationThatIsCutOffBeginsAnew(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), SQLiteFile)
		connect := func() *conn {
			db, err := openSQLite(path, 1, useLog, "foreign_keys(1)")
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
		}
		c := connect()
		counts, newest := before(t, c)
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
		wantMigrated(t, connect(), counts, newest)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		c := bare["PostgreSQL"](t)
		counts, newest := before(t, c)
		if err := applyNewest(c, func() error {
			return c.exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
		}); err == nil || c.sql != nil {
			t.Fatalf("the connection was not lost: %v", err)
		}
		wantMigrated(t, c, counts, newest)
	})
}

// wantMigrated has a database migrated that has the version before the newest.
func wantMigrated(t *testing.T, c *conn, counts map[string]int, newest int) {
	t.Helper()
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := countRows(t, c, "schema_steps"); got != newest-1 {
		t.Errorf("after the cut %d steps, want %d", got, newest-1)
	}
	wantRows(t, c, counts)
	if err := errors.Join(c.end("ROLLBACK"), migrate(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	if got := countRows(t, c, "schema_steps"); got != newest {
		t.Errorf("%d steps, want %d", got, newest)
	}
	wantRows(t, c, counts)
}

// applyNewest applies the newest step and calls cut in its transaction.
func applyNewest(c *conn, cut func() error) error {
	steps, err := migrations(c.dialect)
	if err != nil {
		return err
	}
	newest := len(steps)
	return inTransaction(context.Background(), c, func() error {
		if err := apply(context.Background(), c, steps[newest-1], newest); err != nil {
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
	db, err := openSQLite(path, 1, useLog, "foreign_keys(1)", "cache_size(1)")
	if err != nil {
		return err
	}
	return applyNewest(newConn(db, &sqlite, sqlite.beginWrite), func() error {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})
}
